import { z } from "zod";
import type { TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import { withoutFence } from "../../../core/text/fenced-blocks.ts";
import { fatalError, classifyFailure } from "../shared/http-failure.ts";
import { parseJson, parseJsonLine } from "../shared/parse-json-line.ts";

const count = z.int().min(0).default(0);

const CHANGES = { add: "created", update: "modified", delete: "deleted" } as const;

const command = z.object({
  type: z.literal("command_execution"),
  id: z.string(),
  command: z.string(),
  aggregated_output: z.string().nullable().default(""),
  exit_code: z.number().nullish(),
  status: z.string(),
});

const mcpCall = z.object({
  type: z.literal("mcp_tool_call"),
  id: z.string(),
  server: z.string(),
  tool: z.string(),
  arguments: z.unknown(),
  result: z.object({ content: z.array(z.object({ text: z.string().default("") })) }).nullish(),
  error: z.object({ message: z.string() }).nullish(),
  status: z.string(),
});

const item = z.discriminatedUnion("type", [
  z.object({ type: z.literal("agent_message"), text: z.string() }),
  z.object({ type: z.literal("reasoning"), text: z.string() }),
  command,
  z.object({
    type: z.literal("file_change"),
    changes: z.array(z.object({ path: z.string(), kind: z.enum(["add", "update", "delete"]) })),
    status: z.string(),
  }),
  mcpCall,
  z.object({ type: z.literal("error"), message: z.string() }),
]);
type Item = z.infer<typeof item>;

const line = z.discriminatedUnion("type", [
  z.object({ type: z.literal("thread.started"), thread_id: z.string().min(1) }),
  z.object({ type: z.literal("turn.started") }),
  z.object({ type: z.literal("item.started"), item }),
  z.object({ type: z.literal("item.completed"), item }),
  z.object({
    type: z.literal("turn.completed"),
    usage: z.object({
      input_tokens: count,
      cached_input_tokens: count,
      cache_write_input_tokens: count,
      output_tokens: count,
    }),
  }),
  z.object({ type: z.literal("turn.failed"), error: z.object({ message: z.string() }) }),
  z.object({ type: z.literal("error"), message: z.string() }),
]);
type Line = z.infer<typeof line>;

const SESSION_UNKNOWN = /no rollout found for (thread|conversation) id|No saved session found with ID/;

/** Parses a line of `codex exec --json`. */
export function parseCodexLine(text: string): readonly TranscriptEvent[] {
  return parseJsonLine(text, { schema: line, read: readLine, sessionUnknown: SESSION_UNKNOWN });
}

function readLine(event: Line): readonly TranscriptEvent[] {
  switch (event.type) {
    case "thread.started":
      return [{ type: "session", id: event.thread_id }];
    case "turn.started":
      return [];
    case "item.started":
      return readStarted(event.item);
    case "item.completed":
      return readCompleted(event.item);
    case "turn.completed":
      return [{ type: "usage", tokens: tokensOf(event.usage), costUsd: null, model: null, scope: "session" }];
    case "turn.failed":
      return fatalError(event.error.message, classifyFailure(event.error.message));
    // Codex may still retry. `turn.failed` repeats an error that ends the run.
    case "error":
      return [{ type: "error", message: event.message, failure: null }];
  }
}

/** OpenAI includes cache reads and writes in the input tokens, but their price differs. */
function tokensOf(usage: Extract<Line, { type: "turn.completed" }>["usage"]) {
  const { input_tokens, cached_input_tokens: cacheRead, cache_write_input_tokens: cacheWrite } = usage;
  return {
    input: Math.max(0, input_tokens - cacheRead - cacheWrite),
    output: usage.output_tokens,
    cacheRead,
    cacheWrite,
  };
}

function readStarted(started: Item): readonly TranscriptEvent[] {
  switch (started.type) {
    case "command_execution":
      return [{ type: "tool_call", id: started.id, name: "shell", input: { command: started.command } }];
    case "mcp_tool_call":
      return [
        { type: "tool_call", id: started.id, name: `${started.server}.${started.tool}`, input: started.arguments },
      ];
    default:
      return [];
  }
}

function readCompleted(completed: Item): readonly TranscriptEvent[] {
  switch (completed.type) {
    case "agent_message":
      return [{ type: "text", text: completed.text }, ...parseOutcome(completed.text)];
    case "reasoning":
      return [{ type: "thinking", text: completed.text }];
    case "command_execution": {
      const failed = completed.status !== "completed" || (completed.exit_code ?? 0) !== 0;
      return [{ type: "tool_result", id: completed.id, output: completed.aggregated_output ?? "", failed }];
    }
    case "mcp_tool_call": {
      const { id, result, error, status } = completed;
      const output = error?.message ?? (result?.content ?? []).map(({ text }) => text).join("\n");
      return [{ type: "tool_result", id, output, failed: status !== "completed" }];
    }
    case "file_change":
      if (completed.status !== "completed") return [];
      return completed.changes.map(({ path, kind }) => ({ type: "file_change", path, change: CHANGES[kind] }));
    // Usually a warning (`Model metadata … not found`).
    case "error":
      return [{ type: "error", message: completed.message, failure: null }];
  }
}

/**
 * Codex has no separate field for the structured output: it is a message that consists of one JSON object, with or
 * without a code fence. JSON with text around it may be a quotation, so it does not count. The last such message counts,
 * and only if the report tool was not called.
 */
function parseOutcome(text: string): readonly TranscriptEvent[] {
  const json = withoutFence(text);
  const parsed = report.safeParse(json.startsWith("{") ? parseJson(json) : null);
  return parsed.success ? [{ type: "outcome", value: parsed.data }] : [];
}

const report = z.looseObject({ outcome: z.string() });
