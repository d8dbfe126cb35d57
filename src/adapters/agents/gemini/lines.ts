import { z } from "zod";
import type { TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import { fatalError, classifyFailure } from "../shared/http-failure.ts";
import { parseJsonLine } from "../shared/parse-json-line.ts";

const count = z.int().min(0).default(0);

const stats = z.object({
  models: z
    .record(
      z.string(),
      z.object({ total_tokens: count, input_tokens: count, output_tokens: count, cached: count, input: count }),
    )
    .default({}),
});

const line = z.discriminatedUnion("type", [
  z.object({ type: z.literal("init"), session_id: z.string().min(1), model: z.string().optional() }),
  z.object({
    type: z.literal("message"),
    role: z.string(),
    content: z.string(),
    delta: z.boolean().default(false),
  }),
  z.object({
    type: z.literal("tool_use"),
    tool_name: z.string(),
    tool_id: z.string(),
    parameters: z.unknown(),
  }),
  z.object({
    type: z.literal("tool_result"),
    tool_id: z.string(),
    status: z.string(),
    output: z.string().default(""),
    error: z.object({ message: z.string() }).optional(),
  }),
  z.object({ type: z.literal("error"), message: z.string() }),
  z.object({
    type: z.literal("result"),
    status: z.string(),
    error: z.object({ type: z.string().default(""), message: z.string() }).optional(),
    stats: stats.optional(),
  }),
]);
type Line = z.infer<typeof line>;
type Result = Extract<Line, { type: "result" }>;

const SESSION_UNKNOWN = /Invalid session identifier|No previous sessions found/i;

/**
 * Parses a line of `gemini -o stream-json`. Calls and results of tools are separate lines, so no single line shows that a file
 * changed, and there are no `file_change` events.
 */
export function parseGeminiLine(text: string): readonly TranscriptEvent[] {
  return parseJsonLine(text, { schema: line, read: readLine, sessionUnknown: SESSION_UNKNOWN });
}

function readLine(event: Line): readonly TranscriptEvent[] {
  switch (event.type) {
    case "init":
      return [{ type: "session", id: event.session_id, model: event.model }];
    case "message":
      // The other role is the user: Gemini repeats the prompt.
      if (event.role !== "assistant") return [];
      return [{ type: "text", text: event.content, ...(event.delta && { partial: true }) }];
    case "tool_use":
      return [{ type: "tool_call", id: event.tool_id, name: event.tool_name, input: event.parameters }];
    case "tool_result": {
      const output = event.output === "" ? (event.error?.message ?? "") : event.output;
      return [{ type: "tool_result", id: event.tool_id, output, failed: event.status !== "success" }];
    }
    // A warning, or an error that `result` repeats.
    case "error":
      return [{ type: "error", message: event.message, failure: null }];
    case "result":
      return [...usageOf(event), ...errorOf(event)];
  }
}

/** Counts only this run, even with `--resume`. Thoughts are only included in the total, and billed as output. */
function usageOf({ stats: usage }: Result): readonly TranscriptEvent[] {
  return Object.entries(usage?.models ?? {}).map(([model, counts]) => ({
    type: "usage",
    tokens: {
      input: counts.input,
      output: Math.max(counts.output_tokens, counts.total_tokens - counts.input_tokens),
      cacheRead: counts.cached,
      cacheWrite: 0,
    },
    costUsd: null,
    model,
    scope: "delta",
  }));
}

function errorOf({ status, error }: Result): readonly TranscriptEvent[] {
  if (status === "success") return [];
  if (error === undefined) return fatalError("Gemini ended with an unknown error.", null);
  const isTurnLimit = error.type === "FatalTurnLimitedError" || /max session turns/i.test(error.message);
  return fatalError(error.message, isTurnLimit ? "max_turns" : classifyFailure(error.message));
}
