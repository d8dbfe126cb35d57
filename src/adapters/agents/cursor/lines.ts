import { z } from "zod";
import type { Tokens } from "../../../core/task/run.ts";
import type { TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import { fatalError, classifyFailure } from "../shared/http-failure.ts";
import { parseJsonLine } from "../shared/parse-json-line.ts";

const content = z.array(z.object({ type: z.string(), text: z.string().default("") }));
const count = z.int().min(0).default(0);

const line = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("system"),
    subtype: z.string(),
    session_id: z.string().min(1),
    model: z.string().optional(),
    cwd: z.string().optional(),
  }),
  z.object({ type: z.literal("user") }),
  z.object({ type: z.literal("assistant"), message: z.object({ content }) }),
  z.object({ type: z.literal("thinking"), text: z.string().default("") }),
  z.object({
    type: z.literal("tool_call"),
    subtype: z.string(),
    call_id: z.string(),
    tool_call: z.record(z.string(), z.unknown()),
  }),
  z.object({
    type: z.literal("result"),
    subtype: z.string(),
    is_error: z.boolean().default(false),
    result: z.string().default(""),
    // Undocumented, but printed by versions of 2026.
    usage: z
      .object({ inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count })
      .optional(),
  }),
]);
type Line = z.infer<typeof line>;
type ToolLine = Extract<Line, { type: "tool_call" }>;
type Result = Extract<Line, { type: "result" }>;

/** Errors printed without an event: `Error: …`, `ConnectError: …`. */
const FATAL = /^(?:[A-Z]\w*)?Error: \S/;

/** Parses a line of `cursor-agent -p --output-format stream-json`. */
export function parseCursorLine(text: string): readonly TranscriptEvent[] {
  if (FATAL.test(text)) return fatalError(text, failureOf(text));
  return parseJsonLine(text, { schema: line, read: readLine });
}

function failureOf(message: string) {
  if (/authentication required|CURSOR_API_KEY|login/i.test(message)) return "login";
  if (/resource_exhausted|rate.?limit/i.test(message)) return classifyFailure(message) ?? "rate_limit";
  if (/\b(?:chat|session|conversation)\b.*not found/i.test(message)) return "session_unknown";
  return classifyFailure(message);
}

function readLine(event: Line): readonly TranscriptEvent[] {
  switch (event.type) {
    case "system":
      return event.subtype === "init"
        ? [{ type: "session", id: event.session_id, model: event.model, directory: event.cwd }]
        : [];
    case "user": // our own prompt
      return [];
    case "assistant": {
      const text = event.message.content.map((part) => part.text).join("");
      return text === "" ? [] : [{ type: "text", text }];
    }
    case "thinking":
      return event.text === "" ? [] : [{ type: "thinking", text: event.text }];
    case "tool_call":
      return readTool(event);
    case "result":
      return readResult(event);
  }
}

const body = z.object({ args: z.unknown(), result: z.record(z.string(), z.unknown()).optional() });
const functionCall = z.object({ name: z.string(), arguments: z.unknown() });

/** `{"readToolCall":{"args":{…},"result":{"success":{…}}}}`, or a function with a name. */
function readTool({ subtype, call_id: id, tool_call: call }: ToolLine): readonly TranscriptEvent[] {
  const [key = "tool", value] = Object.entries(call).find(([name]) => /(?:ToolCall|function)$/.test(name)) ?? [];
  const asFunction = functionCall.safeParse(value);
  const { args = null, result } = body.safeParse(value).data ?? {};
  const name = asFunction.data?.name ?? key.replace(/ToolCall$/, "");
  if (subtype === "started") return [{ type: "tool_call", id, name, input: asFunction.data?.arguments ?? args }];
  if (subtype !== "completed") return [];
  const [status, details] = Object.entries(result ?? {})[0] ?? [];
  const { exitCode } = z.object({ exitCode: z.number().optional() }).safeParse(details).data ?? {};
  const failed = (status !== undefined && status !== "success") || (exitCode ?? 0) !== 0;
  return [{ type: "tool_result", id, output: outputOf(details), failed }, ...(failed ? [] : changeOf(name, args))];
}

function outputOf(details: unknown): string {
  const known = z
    .object({ content: z.string().optional(), stdout: z.string().optional(), stderr: z.string().optional() })
    .safeParse(details).data;
  const text =
    known?.content ?? [known?.stdout, known?.stderr].filter((part) => part !== undefined && part !== "").join("\n");
  return text !== "" ? text : details === undefined ? "" : JSON.stringify(details);
}

const CHANGES: Readonly<Record<string, "modified" | "deleted">> = {
  write: "modified",
  edit: "modified",
  delete: "deleted",
};

function changeOf(name: string, args: unknown): readonly TranscriptEvent[] {
  const change = Object.hasOwn(CHANGES, name) ? CHANGES[name] : undefined;
  const path = z.object({ path: z.string().min(1) }).safeParse(args).data?.path;
  return change === undefined || path === undefined ? [] : [{ type: "file_change", path, change }];
}

function readResult({ subtype, is_error: isError, result, usage }: Result): readonly TranscriptEvent[] {
  const usageEvents: readonly TranscriptEvent[] =
    usage === undefined ? [] : [{ type: "usage", tokens: toTokens(usage), costUsd: null, model: null, scope: "delta" }];
  // Earlier messages already contain the text of a success.
  if (!isError && subtype === "success") return usageEvents;
  const message = result === "" ? `The agent ended with ${subtype}.` : result;
  return [...usageEvents, ...fatalError(message, failureOf(message))];
}

function toTokens(usage: NonNullable<Result["usage"]>): Tokens {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return { input: inputTokens, output: outputTokens, cacheRead: cacheReadTokens, cacheWrite: cacheWriteTokens };
}
