import { isAbsolute, relative } from "node:path";
import type { TranscriptEvent } from "../../../core/task/transcript.ts";
import { fieldsOf, type Fields, listOf, textOf } from "./fields.ts";

/** Turns what an agent tells of its session into events. */
export interface UpdateReader {
  /** One `session/update`. */
  read(update: unknown): readonly TranscriptEvent[];
  /** A tool call as it stands in a permission request: some agents tell of it nowhere else. */
  readAsked(toolCall: unknown): readonly TranscriptEvent[];
  /** What it held back so as not to print every few words. */
  flush(): readonly TranscriptEvent[];
  /** What is known of the call that a permission request is about, from all that was told of it. */
  known(toolCall: unknown): Fields;
}

interface Call {
  readonly fields: Fields;
  readonly isAnnounced: boolean;
}

interface Held {
  readonly type: "text" | "thinking";
  readonly message: string | null;
  readonly text: string;
}

const MAX_HELD = 8_000;
const MAX_OUTPUT = 200_000;

export function createUpdateReader(workspace: string): UpdateReader {
  const calls = new Map<string, Call>();
  let held: Held | null = null;

  const flush = (): readonly TranscriptEvent[] => {
    const events: readonly TranscriptEvent[] = held === null ? [] : [{ type: held.type, text: held.text }];
    held = null;
    return events;
  };

  const hold = (next: Held): readonly TranscriptEvent[] => {
    const goesOn = held !== null && held.type === next.type && held.message === next.message;
    const before = goesOn ? [] : flush();
    held = { ...next, text: (held?.text ?? "") + next.text };
    return held.text.length < MAX_HELD ? before : [...before, ...flush()];
  };

  /** What an update leaves out stays as it was. */
  const merge = (update: Fields): Call => {
    const id = textOf(update["toolCallId"]) ?? "";
    const before = calls.get(id);
    const told = Object.entries(update).filter(
      ([key, value]) => value !== null && value !== undefined && !(isEmpty(value) && before?.fields[key] !== undefined),
    );
    return { fields: { ...before?.fields, ...Object.fromEntries(told) }, isAnnounced: before?.isAnnounced ?? false };
  };

  const readCall = (update: Fields, isAsked: boolean): readonly TranscriptEvent[] => {
    const { fields, isAnnounced } = merge(update);
    const id = textOf(fields["toolCallId"]) ?? "";
    const status = textOf(update["status"]);
    const isOver = status === "completed" || status === "failed";
    // An agent may announce a call before its model has written the input.
    const announce = !isAnnounced && (isOver || isAsked || status === "in_progress" || !isEmpty(fields["rawInput"]));
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
    readAsked: (toolCall) => readCall(fieldsOf(toolCall), true),
    known: (toolCall) => merge(fieldsOf(toolCall)).fields,
    read: (value) => {
      const update = fieldsOf(value);
      switch (update["sessionUpdate"]) {
        case "agent_message_chunk":
        case "agent_thought_chunk": {
          const type = update["sessionUpdate"] === "agent_message_chunk" ? "text" : "thinking";
          const text = textOfBlock(update["content"]);
          return text === null ? [] : hold({ type, message: textOf(update["messageId"]), text });
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

/** Titles tell what a call is about (`rm README.md`); the name of its tool is what calls have in common. */
function nameOf(call: Fields): string {
  const claudes = textOf(fieldsOf(fieldsOf(call["_meta"])["claudeCode"])["toolName"]);
  const kind = textOf(call["kind"]);
  const title = textOf(call["title"]);
  return textOf(call["name"]) ?? claudes ?? (kind === null || kind === "other" ? title : kind) ?? "tool";
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
  // What stood in the request for permission is no output, so what the end of the call says goes first.
  const told = last["content"] === undefined && last["rawOutput"] === undefined ? call : last;
  return { type: "tool_result", id, output: outputOf(told).slice(0, MAX_OUTPUT), failed: hasFailed(call) };
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
    // Some say null of a file that was not there, others that it was empty.
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

const MARKS: Readonly<Record<string, string>> = { completed: "[x]", in_progress: "[>]" };

function planOf(update: Fields): readonly TranscriptEvent[] {
  const lines = listOf(update["entries"])
    .map(fieldsOf)
    .map(({ status, content }) => `${MARKS[textOf(status) ?? ""] ?? "[ ]"} ${textOf(content) ?? ""}`);
  return lines.length === 0 ? [] : [{ type: "text", text: `Plan:\n${lines.join("\n")}` }];
}

function noticeOf(update: Fields): readonly TranscriptEvent[] {
  const text = textOf(update["message"]) ?? textOf(update["text"]) ?? textOfBlock(update["content"]);
  return text === null ? [] : [{ type: "text", text }];
}
