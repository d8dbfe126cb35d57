import type { TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import { isRecord, type Json } from "./json.ts";
import { parseJson } from "../shared/parse-json-line.ts";
import { readResult } from "./result.ts";
import { readLimit, readSystem, readPlainLine } from "./system.ts";

/**
 * Parses a line of `--output-format stream-json`, as printed by claude and compatible CLIs. It does not use a schema library
 * because a run may print hundreds of thousands of lines.
 */
export function parseClaudeLine(line: string): readonly TranscriptEvent[] {
  return readLine(line) ?? [{ type: "raw", text: line }];
}

/** Returns null for unknown lines, and an empty list for known lines that the transcript does not need. */
function readLine(line: string): readonly TranscriptEvent[] | null {
  if (!line.startsWith("{")) return readPlainLine(line);
  const event = parseJson(line);
  if (!isRecord(event)) return null;
  switch (event["type"]) {
    case "assistant":
      return readAssistant(event);
    case "user":
      return readUser(event);
    case "result":
      return readResult(event);
    case "system":
      return readSystem(event);
    case "rate_limit_event":
      return readLimit(event);
    // Parts of messages that are also printed as a whole, and permission requests.
    case "stream_event":
    case "control_request":
    case "control_response":
    case "control_cancel_request":
    case "keep_alive":
      return [];
    default:
      return null;
  }
}

function blocksOf({ message }: Json): readonly unknown[] | null {
  return isRecord(message) && Array.isArray(message["content"]) ? message["content"] : null;
}

function readAssistant(line: Json): readonly TranscriptEvent[] | null {
  const events = blocksOf(line)
    ?.map((block) => (isRecord(block) ? readBlock(block) : null))
    .filter((event) => event !== null);
  if (events === undefined) return null;
  if (line["is_api_error_message"] !== true) return events;
  // The result line classifies the failure, because it has more details.
  return events.map((event) => (event.type === "text" ? { type: "error", message: event.text, failure: null } : event));
}

function readBlock({ type, text, thinking, id, name, input }: Json): TranscriptEvent | null {
  if (type === "text" && typeof text === "string") return { type, text };
  if (type === "thinking" && typeof thinking === "string") return { type, text: thinking };
  if (type !== "tool_use" && type !== "server_tool_use") return null;
  return typeof id === "string" && typeof name === "string" ? { type: "tool_call", id, name, input } : null;
}

function readUser(line: Json): readonly TranscriptEvent[] | null {
  const results = blocksOf(line)
    ?.map((block) => (isRecord(block) ? readToolResult(block) : null))
    .filter((event) => event !== null);
  // Text in a user message comes from the CLI. It stays raw, so that it is not mistaken for the agent's.
  if (results === undefined || results.length === 0) return null;
  const change = fileChange(line["tool_use_result"]);
  return change === null ? results : [...results, change];
}

function readToolResult({ type, tool_use_id: id, content, is_error: isError }: Json): TranscriptEvent | null {
  if (type !== "tool_result" || typeof id !== "string") return null;
  return { type, id, output: plainText(content), failed: isError === true };
}

function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: unknown) => (isRecord(part) ? partText(part) : "")).join("\n");
}

function partText({ type, text }: Json): string {
  return typeof text === "string" ? text : `[${typeof type === "string" ? type : "unknown"}]`;
}

/** Only tools that changed a file return a path together with a patch. Paths are absolute. */
function fileChange(result: unknown): TranscriptEvent | null {
  if (!isRecord(result) || !Array.isArray(result["structuredPatch"])) return null;
  const path = result["filePath"];
  if (typeof path !== "string") return null;
  return { type: "file_change", path, change: result["type"] === "create" ? "created" : "modified" };
}
