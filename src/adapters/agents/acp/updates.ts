import { isAbsolute, relative } from "node:path";
import type { TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import { fieldsOf, type Fields, listOf, textOf } from "./fields.ts";

/** Converts the session updates of an agent into events. */
export interface UpdateReader {
  /** Reads one `session/update`. */
  read(update: unknown): readonly TranscriptEvent[];
  /** Reads the tool call of a permission request. Some agents report it nowhere else. */
  readPermissionRequest(toolCall: unknown): readonly TranscriptEvent[];
  /** Returns the buffered text, which is collected so that not every few words become an event. */
  flush(): readonly TranscriptEvent[];
  /** Merges a tool call with all earlier updates about it. */
  mergeCall(toolCall: unknown): Fields;
}

interface Call {
  readonly fields: Fields;
  readonly isAnnounced: boolean;
}

interface BufferedText {
  readonly type: "text" | "thinking";
  readonly message: string | null;
  readonly text: string;
}

const MAX_BUFFERED = 8_000;
const MAX_OUTPUT = 200_000;

export function createUpdateReader(workspace: string): UpdateReader {
  const calls = new Map<string, Call>();
  let buffered: BufferedText | null = null;

  const flush = (): readonly TranscriptEvent[] => {
    const events: readonly TranscriptEvent[] = buffered === null ? [] : [{ type: buffered.type, text: buffered.text }];
    buffered = null;
    return events;
  };

  const buffer = (next: BufferedText): readonly TranscriptEvent[] => {
    const isSameMessage = buffered !== null && buffered.type === next.type && buffered.message === next.message;
    const before = isSameMessage ? [] : flush();
    buffered = { ...next, text: (buffered?.text ?? "") + next.text };
    return buffered.text.length < MAX_BUFFERED ? before : [...before, ...flush()];
  };

  /** Fields that an update omits keep their value. */
  const merge = (update: Fields): Call => {
    const id = textOf(update["toolCallId"]) ?? "";
    const before = calls.get(id);
    const changes = Object.entries(update).filter(
      ([key, value]) => value !== null && value !== undefined && !(isEmpty(value) && before?.fields[key] !== undefined),
    );
    return { fields: { ...before?.fields, ...Object.fromEntries(changes) }, isAnnounced: before?.isAnnounced ?? false };
  };

  const readCall = (update: Fields, isPermissionRequest: boolean): readonly TranscriptEvent[] => {
    const { fields, isAnnounced } = merge(update);
    const id = textOf(fields["toolCallId"]) ?? "";
    const status = textOf(update["status"]);
    const isOver = status === "completed" || status === "failed";
    // Agents may report a call before the model has written its input.
    const announce =
      !isAnnounced && (isOver || isPermissionRequest || status === "in_progress" || !isEmpty(fields["rawInput"]));
    if (isOver) calls.delete(id);
    else calls.set(id, { fields, isAnnounced: isAnnounced || announce });
    return [
      ...flush(),
      ...(announce ? [{ type: "tool_call" as const, id, name: nameOf(fields), input: inputOf(fields) }] : []),
      ...(isOver ? [resultOf(id, fields, update), ...changesOf(fields, workspace)] : []),
    ];
  };

  return {
    flush,
    readPermissionRequest: (toolCall) => readCall(fieldsOf(toolCall), true),
    mergeCall: (toolCall) => merge(fieldsOf(toolCall)).fields,
    read: (value) => {
      const update = fieldsOf(value);
      switch (update["sessionUpdate"]) {
        case "agent_message_chunk":
        case "agent_thought_chunk": {
          const type = update["sessionUpdate"] === "agent_message_chunk" ? "text" : "thinking";
          const text = textOfBlock(update["content"]);
          return text === null ? [] : buffer({ type, message: textOf(update["messageId"]), text });
        }
        case "tool_call":
        case "tool_call_update":
          return readCall(update, false);
        case "plan":
          return [...flush(), ...planOf(update)];
        case "notice":
          return [...flush(), ...noticeOf(update)];
        default:
          return [];
      }
    },
  };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === "" || (typeof value === "object" && Object.keys(value ?? {}).length === 0);
}

/** Prefers the name of the tool, because titles describe a single call (`rm README.md`). */
function nameOf(call: Fields): string {
  const claudeName = textOf(fieldsOf(fieldsOf(call["_meta"])["claudeCode"])["toolName"]);
  const kind = textOf(call["kind"]);
  const title = textOf(call["title"]);
  return textOf(call["name"]) ?? claudeName ?? (kind === null || kind === "other" ? title : kind) ?? "tool";
}

function inputOf(call: Fields): unknown {
  if (!isEmpty(call["rawInput"])) return call["rawInput"];
  return { title: textOf(call["title"]) ?? "", locations: locationsOf(call) };
}

export function locationsOf(call: Fields): readonly string[] {
  return listOf(call["locations"]).flatMap((location) => textOf(fieldsOf(location)["path"]) ?? []);
}

export function diffsOf(call: Fields): readonly Fields[] {
  return listOf(call["content"])
    .map(fieldsOf)
    .filter((content) => content["type"] === "diff" && textOf(content["path"]) !== null);
}

function resultOf(id: string, call: Fields, last: Fields): TranscriptEvent {
  // The content of a permission request is not output, so the last update takes precedence.
  const source = last["content"] === undefined && last["rawOutput"] === undefined ? call : last;
  return { type: "tool_result", id, output: outputOf(source).slice(0, MAX_OUTPUT), failed: hasFailed(call) };
}

function hasFailed(call: Fields): boolean {
  const exitCode = fieldsOf(fieldsOf(call["_meta"])["terminal_exit"])["exit_code"];
  return call["status"] === "failed" || (typeof exitCode === "number" && exitCode !== 0);
}

function outputOf(call: Fields): string {
  const texts = listOf(call["content"]).flatMap((content) => textOfBlock(fieldsOf(content)["content"]) ?? []);
  if (texts.length > 0) return texts.join("\n");
  const raw = call["rawOutput"];
  if (isEmpty(raw)) return "";
  return typeof raw === "string" ? raw : JSON.stringify(raw);
}

function changesOf(call: Fields, workspace: string): readonly TranscriptEvent[] {
  const change = { edit: "modified", delete: "deleted", move: "modified" } as const;
  const kind = call["kind"];
  if (hasFailed(call) || (kind !== "edit" && kind !== "delete" && kind !== "move")) return [];
  const diffs = diffsOf(call);
  if (diffs.length === 0 || kind === "delete")
    return locationsOf(call).map((path) => ({
      type: "file_change",
      path: inWorkspace(path, workspace),
      change: change[kind],
    }));
  return diffs.map((diff) => ({
    type: "file_change",
    path: inWorkspace(textOf(diff["path"]) ?? "", workspace),
    // For a new file some agents send null, others an empty text.
    change: textOf(diff["oldText"]) === null ? "created" : "modified",
  }));
}

function inWorkspace(path: string, workspace: string): string {
  const inside = relative(workspace, path);
  return isAbsolute(path) && inside !== "" && !inside.startsWith("..") ? inside : path;
}

function textOfBlock(block: unknown): string | null {
  const { type, text, uri, resource } = fieldsOf(block);
  if (type === "text") return textOf(text);
  if (type === "resource_link") return textOf(uri);
  if (type === "resource") return textOf(fieldsOf(resource)["text"]) ?? textOf(fieldsOf(resource)["uri"]);
  return null;
}

const CHECKBOXES: Readonly<Record<string, string>> = { completed: "[x]", in_progress: "[>]" };

function planOf(update: Fields): readonly TranscriptEvent[] {
  const lines = listOf(update["entries"])
    .map(fieldsOf)
    .map(({ status, content }) => `${CHECKBOXES[textOf(status) ?? ""] ?? "[ ]"} ${textOf(content) ?? ""}`);
  return lines.length === 0 ? [] : [{ type: "text", text: `Plan:\n${lines.join("\n")}` }];
}

function noticeOf(update: Fields): readonly TranscriptEvent[] {
  const text = textOf(update["message"]) ?? textOf(update["text"]) ?? textOfBlock(update["content"]);
  return text === null ? [] : [{ type: "text", text }];
}
