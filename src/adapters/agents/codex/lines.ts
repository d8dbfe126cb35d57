import { z } from "zod";
import type { TranscriptEvent } from "../../../core/task/transcript.ts";
import { fatalError, httpFailure } from "../shared/http-failure.ts";
import { parseJsonLine } from "../shared/parse-json-line.ts";

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

// Printed to stderr, by exit 1 and without any event.
const SESSION_UNKNOWN = /no rollout found for (thread|conversation) id|No saved session found with ID/;

/** A line of `codex exec --json`. */
export function parseCodexLine(text: string): readonly TranscriptEvent[] {
  if (!text.startsWith("{") && SESSION_UNKNOWN.test(text)) {
    return [{ type: "error", message: text, failure: "session_unknown" }];
  }
  return parseJsonLine(text, line, readLine);
}

function readLine(event: Line): readonly TranscriptEvent[] {
  switch (event.type) {
    case "thread.started":
      return [{ type: "session", id: event.thread_id }];
    case "turn.started":
      return [];
    case "item.started":
      return begin(event.item);
    case "item.completed":
      return end(event.item);
    case "turn.completed":
      return [{ type: "usage", tokens: tokensOf(event.usage), costUsd: null, model: null, scope: "session" }];
    case "turn.failed":
      return fatalError(event.error.message, httpFailure(event.error.message));
    // It may be a retry that goes well; what ends the run is said again by `turn.failed`.
    case "error":
      return [{ type: "error", message: event.message, failure: null }];
  }
}

/** OpenAI counts what came from the cache, or went into it, as input too; its price is another. */
function tokensOf(usage: Extract<Line, { type: "turn.completed" }>["usage"]) {
  const { input_tokens, cached_input_tokens: cacheRead, cache_write_input_tokens: cacheWrite } = usage;
  return {
    input: Math.max(0, input_tokens - cacheRead - cacheWrite),
    output: usage.output_tokens,
    cacheRead,
    cacheWrite,
  };
}

function begin(started: Item): readonly TranscriptEvent[] {
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

function end(completed: Item): readonly TranscriptEvent[] {
  switch (completed.type) {
    case "agent_message":
      return [{ type: "text", text: completed.text }, ...outcomeIn(completed.text)];
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
    // Most often a warning (`Model metadata … not found`).
    case "error":
      return [{ type: "error", message: completed.message, failure: null }];
  }
}

/**
 * Codex has no field of its own for what `--output-schema` asked for: it is a message that is one JSON object and nothing
 * else. The last such message counts, and only where the report's tool was not called.
 */
function outcomeIn(text: string): readonly TranscriptEvent[] {
  const parsed = report.safeParse(text);
  return parsed.success ? [{ type: "outcome", value: parsed.data }] : [];
}

const report = z
  .string()
  .startsWith("{")
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({ code: "custom", message: "is not JSON" });
      return z.NEVER;
    }
  })
  .pipe(z.looseObject({ outcome: z.string() }));
