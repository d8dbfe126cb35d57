import { z } from "zod";
import type { TranscriptEvent } from "../../../core/task/transcript.ts";
import { fatalError, httpFailure } from "../shared/http-failure.ts";
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
  z.object({ type: z.literal("init"), session_id: z.string().min(1) }),
  z.object({ type: z.literal("message"), role: z.string(), content: z.string() }),
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

// Printed to stderr, without any event.
const SESSION_UNKNOWN = /Invalid session identifier|No previous sessions found/i;

/**
 * A line of `gemini -o stream-json`. Gemini says what a tool was asked and, apart from that, how it went; a line alone
 * does not tell whether a file changed, so no `file_change` comes from here.
 */
export function parseGeminiLine(text: string): readonly TranscriptEvent[] {
  if (!text.startsWith("{") && SESSION_UNKNOWN.test(text)) {
    return [{ type: "error", message: text, failure: "session_unknown" }];
  }
  return parseJsonLine(text, line, readLine);
}

function readLine(event: Line): readonly TranscriptEvent[] {
  switch (event.type) {
    case "init":
      return [{ type: "session", id: event.session_id }];
    case "message":
      // The other role is the prompt, which it repeats.
      return event.role === "assistant" ? [{ type: "text", text: event.content }] : [];
    case "tool_use":
      return [{ type: "tool_call", id: event.tool_id, name: event.tool_name, input: event.parameters }];
    case "tool_result": {
      const output = event.output === "" ? (event.error?.message ?? "") : event.output;
      return [{ type: "tool_result", id: event.tool_id, output, failed: event.status !== "success" }];
    }
    // A warning, or what `result` says again.
    case "error":
      return [{ type: "error", message: event.message, failure: null }];
    case "result":
      return [...usageOf(event), ...errorOf(event)];
  }
}

/** What it counts is of this run alone, after `--resume` too. Thoughts are in the total only, and paid for as output. */
function usageOf({ stats: counted }: Result): readonly TranscriptEvent[] {
  return Object.entries(counted?.models ?? {}).map(([model, of]) => ({
    type: "usage",
    tokens: {
      input: of.input,
      output: Math.max(of.output_tokens, of.total_tokens - of.input_tokens),
      cacheRead: of.cached,
      cacheWrite: 0,
    },
    costUsd: null,
    model,
    scope: "delta",
  }));
}

function errorOf({ status, error }: Result): readonly TranscriptEvent[] {
  if (status === "success") return [];
  if (error === undefined) return fatalError("Gemini ended with an error and did not say which.", null);
  const isTurnLimit = error.type === "FatalTurnLimitedError" || /max session turns/i.test(error.message);
  return fatalError(error.message, isTurnLimit ? "max_turns" : httpFailure(error.message));
}
