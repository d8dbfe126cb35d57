import { z } from "zod";
import type { TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import { fatalError, classifyFailure } from "../shared/http-failure.ts";
import { parseJsonLine } from "../shared/parse-json-line.ts";

const count = z.number().min(0).default(0);
const sessionID = z.string().min(1);

const toolState = z.object({
  status: z.string(),
  input: z.unknown(),
  output: z.string().optional(),
  error: z.string().optional(),
  metadata: z
    .object({
      filepath: z.string().optional(),
      exists: z.boolean().optional(),
      files: z.array(z.object({ filePath: z.string(), type: z.string() })).optional(),
    })
    .optional(),
});

const line = z.discriminatedUnion("type", [
  z.object({ type: z.literal("step_start"), sessionID }),
  z.object({ type: z.literal("text"), part: z.object({ text: z.string() }) }),
  z.object({ type: z.literal("reasoning"), part: z.object({ text: z.string() }) }),
  z.object({
    type: z.literal("tool_use"),
    part: z.object({ tool: z.string(), callID: z.string(), state: toolState }),
  }),
  z.object({
    type: z.literal("step_finish"),
    part: z.object({
      reason: z.string(),
      cost: count,
      tokens: z.object({
        input: count,
        output: count,
        reasoning: count,
        cache: z.object({ read: count, write: count }).default({ read: 0, write: 0 }),
      }),
    }),
  }),
  z.object({
    type: z.literal("error"),
    sessionID: sessionID.optional(),
    error: z.object({
      name: z.string().default(""),
      data: z.object({ message: z.string().optional(), statusCode: z.number().optional() }).optional(),
    }),
  }),
]);
type Line = z.infer<typeof line>;
type ToolUse = Extract<Line, { type: "tool_use" }>["part"];
type StepFinish = Extract<Line, { type: "step_finish" }>["part"];
type ErrorLine = Extract<Line, { type: "error" }>;

const SESSION_UNKNOWN = /session not found|NotFoundError.*session/i;

/** Parses a line of `opencode run --format json`. There is no final event: a run ends when the program exits. */
export function parseOpencodeLine(text: string): readonly TranscriptEvent[] {
  return parseJsonLine(text, { schema: line, read: readLine, sessionUnknown: SESSION_UNKNOWN });
}

function readLine(event: Line): readonly TranscriptEvent[] {
  switch (event.type) {
    case "step_start":
      return [{ type: "session", id: event.sessionID }];
    case "text":
      return [{ type: "text", text: event.part.text }];
    case "reasoning":
      return [{ type: "thinking", text: event.part.text }];
    case "tool_use":
      return [...callOf(event.part), ...changeOf(event.part)];
    case "step_finish":
      return [usageOf(event.part), ...endOf(event.part)];
    case "error":
      return errorOf(event);
  }
}

/** opencode prints a tool call once, together with its result. */
function callOf({ tool, callID, state }: ToolUse): readonly TranscriptEvent[] {
  const failed = state.status !== "completed";
  return [
    { type: "tool_call", id: callID, name: tool, input: state.input },
    { type: "tool_result", id: callID, output: state.output ?? state.error ?? "", failed },
  ];
}

function changeOf({ tool, state }: ToolUse): readonly TranscriptEvent[] {
  const { filepath: path, exists, files = [] } = state.metadata ?? {};
  if (state.status !== "completed") return [];
  // The edit tool of OpenAI models.
  if (tool === "apply_patch")
    return files.map((file) => ({
      type: "file_change",
      path: file.filePath,
      change: PATCHED[file.type] ?? "modified",
    }));
  if (path === undefined || !["write", "edit"].includes(tool)) return [];
  return [{ type: "file_change", path, change: exists === false ? "created" : "modified" }];
}

const PATCHED: Readonly<Record<string, "created" | "deleted">> = { add: "created", delete: "deleted" };

function usageOf({ tokens, cost }: StepFinish): TranscriptEvent {
  return {
    type: "usage",
    tokens: {
      input: tokens.input,
      output: tokens.output + tokens.reasoning,
      cacheRead: tokens.cache.read,
      cacheWrite: tokens.cache.write,
    },
    // opencode reports a cost of 0 for models without a known price.
    costUsd: cost > 0 ? cost : null,
    model: null,
    scope: "delta",
  };
}

/** Every step except the last ends with `tool-calls`. If the last one does too, the run was interrupted and has no outcome. */
function endOf({ reason }: StepFinish): readonly TranscriptEvent[] {
  if (reason === "content-filter")
    return [{ type: "error", message: "The model refused to continue.", failure: "refused" }];
  if (reason === "length") return [{ type: "error", message: "The model's answer was cut off.", failure: null }];
  return [];
}

function errorOf({ error: { name, data }, sessionID: id }: ErrorLine): readonly TranscriptEvent[] {
  const message = data?.message ?? name;
  const failure =
    name === "ContextOverflowError"
      ? "context_too_long"
      : name === "ProviderAuthError"
        ? "login"
        : classifyFailure(message, data?.statusCode);
  return [...(id === undefined ? [] : [{ type: "session", id } as const]), ...fatalError(message, failure)];
}
