import { NO_TOKENS } from "../../../core/task/run.ts";
import type { TranscriptEvent, UsageEvent } from "../../../core/task/documents/transcript.ts";
import { findFailure } from "./failure.ts";
import { amountOf, isRecord, type Json } from "./json.ts";

/** Reads the last line of a run. There are two if a background task ended after the first. */
export function readResult(line: Json): readonly TranscriptEvent[] | null {
  const { subtype, is_error: isError, structured_output: output, structured_result: qwenOutput } = line;
  if (typeof subtype !== "string") return null;
  const events: TranscriptEvent[] = [...readUsage(line)];
  const value = output ?? qwenOutput;
  if (value !== undefined) events.push({ type: "outcome", value });
  // If the API failed, `subtype` is still "success" and only `is_error` is set.
  if (isError === true || subtype !== "success") {
    const message = errorMessage(line);
    events.push({ type: "error", message, failure: findFailure(line, message) });
  }
  return events;
}

/**
 * `usage` leaves out subagents, and `modelUsage` includes earlier runs of the session, so both are only fallbacks.
 */
function readUsage({ model_usage_since_last_result: since, modelUsage, usage }: Json): readonly UsageEvent[] {
  if (isRecord(since)) return byModel(since, "delta");
  if (isRecord(modelUsage)) return byModel(modelUsage, "session");
  if (!isRecord(usage)) return [];
  // Like OpenAI, Qwen includes cached tokens in the input. Its totals include earlier runs of the session.
  const isQwen = usage["total_tokens"] !== undefined;
  const cacheRead = amountOf(usage["cache_read_input_tokens"]);
  const tokens = {
    input: Math.max(0, amountOf(usage["input_tokens"]) - (isQwen ? cacheRead : 0)),
    output: amountOf(usage["output_tokens"]),
    cacheRead,
    cacheWrite: amountOf(usage["cache_creation_input_tokens"]),
  };
  return [{ type: "usage", tokens, costUsd: null, model: null, scope: isQwen ? "session" : "delta" }];
}

function byModel(models: Readonly<Record<string, unknown>>, scope: UsageEvent["scope"]): readonly UsageEvent[] {
  const used = Object.entries(models).map(([model, value]): UsageEvent => {
    const each = isRecord(value) ? value : {};
    const tokens = {
      input: amountOf(each["inputTokens"]),
      output: amountOf(each["outputTokens"]),
      cacheRead: amountOf(each["cacheReadInputTokens"]),
      cacheWrite: amountOf(each["cacheCreationInputTokens"]),
    };
    // For unknown models the CLI guesses the price.
    const isKnown = typeof each["costUSD"] === "number" && each["costBasis"] !== "unknown";
    return { type: "usage", tokens, costUsd: isKnown ? amountOf(each["costUSD"]) : null, model, scope };
  });
  // An empty object means zero usage, not unknown usage.
  return used.length > 0 ? used : [{ type: "usage", tokens: NO_TOKENS, costUsd: 0, model: null, scope: "delta" }];
}

function errorMessage({ errors, error, result, subtype, terminal_reason: reason }: Json): string {
  const listed = (Array.isArray(errors) ? errors : []).filter(
    (each): each is string => typeof each === "string" && each !== "" && !each.startsWith("[ede_diagnostic]"),
  );
  if (listed.length > 0) return listed.join("; ");
  if (isRecord(error) && typeof error["message"] === "string") return error["message"];
  if (typeof result === "string" && result !== "") return result;
  return `The agent ended with ${String(subtype)}${typeof reason === "string" ? ` (${reason})` : ""}.`;
}
