import type { SessionEvent } from "../task/documents/transcript.ts";
import type { Entry, EntryContent, EntryEvent, EntryLine } from "./entry.ts";
import { repeatsValue } from "./repeats-value.ts";
import { isFields } from "./tool-input.ts";

/** Texts and output are joined only within such a part of the transcript, so that where reading starts changes little. */
const PART_BYTES = 16 * 1024;
const MAX_JOINED = 4_000;
/** A later text is a new remark. */
const MAX_PAUSE_MS = 2_000;
const MAX_OPEN_CALLS = 1_000;
const REPORT_TOOL = /(^|_)report_outcome$/;

/** Turns the lines of a transcript into what a person reads. Entries are replaced, never changed, so that a page can compare them. */
export class EntryList {
  private readonly list: Entry[] = [];
  /** Where calls without a result are, by id. */
  private readonly calls = new Map<string, number>();
  /** Results of lines that match a search belong to an entry that is far above. */
  private readonly moved = new Map<number, number>();
  private session: string | null = null;
  private lastError: string | null = null;

  get entries(): readonly Entry[] {
    return this.list;
  }

  add(line: EntryLine): void {
    for (const [index, event] of line.events.entries()) {
      // Usage often stands between an error and its repetition.
      if (event.type !== "error" && event.type !== "usage") this.lastError = null;
      this.addEvent(event, { line, key: `${line.offset}.${index}` });
    }
  }

  /** The position of the entry that shows a line. Null if there is none. */
  indexOf(offset: number): number | null {
    const moved = this.moved.get(offset);
    if (moved !== undefined) return moved;
    let low = 0;
    let high = this.list.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.list[middle]?.offset ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return this.list.length === 0 ? null : Math.max(0, low - 1);
  }

  private addEvent(event: EntryEvent, place: Place): void {
    switch (event.type) {
      case "text":
        return this.addText(event.text, event.partial === true, place);
      case "raw":
        return this.addOutput(event.text, place);
      case "thinking":
        return event.text.trim() === "" ? undefined : this.push({ kind: "thinking", text: event.text.trim() }, place);
      case "tool_call":
        return this.addCall(event, place);
      case "tool_result":
        return this.addResult(event, place);
      case "file_change":
        return this.push({ kind: "file", path: event.path, change: event.change }, place);
      case "limit":
        return this.push({ kind: "limit", limit: event.kind, resetsAt: event.resets_at }, place);
      case "session":
        return this.addSession(event, place);
      case "outcome":
        return this.addReport(event.value, place);
      case "error":
        return this.addError(event.message, place);
      case "usage":
        return undefined; // the sums are at the end
    }
  }

  private push(content: EntryContent, { line, key }: Place): void {
    this.list.push({ ...content, key, offset: line.offset, lastOffset: line.offset, at: line.at });
  }

  private replaceLast(content: EntryContent, { line }: Place): void {
    const last = this.list.at(-1);
    if (last === undefined) return;
    this.list[this.list.length - 1] = { ...last, ...content, lastOffset: line.offset };
  }

  private addText(text: string, isOpen: boolean, place: Place): void {
    const last = this.list.at(-1);
    if (last?.kind === "text" && last.isOpen)
      return this.replaceLast({ kind: "text", text: last.text + text, isOpen }, place);
    if (last?.kind === "text" && canJoin(last, last.text, place))
      return this.replaceLast({ kind: "text", text: `${last.text}\n${text}`, isOpen }, place);
    if (text.trim() !== "" || isOpen) this.push({ kind: "text", text, isOpen }, place);
  }

  private addOutput(text: string, place: Place): void {
    const { command, from } = place.line;
    const last = this.list.at(-1);
    const isSame = last?.kind === "output" && last.command === command && last.from === from;
    if (isSame && canJoin(last, last.text, place))
      this.replaceLast({ kind: "output", command, from, text: `${last.text}\n${text}` }, place);
    else this.push({ kind: "output", command, from, text }, place);
  }

  private addCall({ id, name, input }: { id: string; name: string; input: unknown }, place: Place): void {
    if (this.calls.size >= MAX_OPEN_CALLS) this.calls.clear();
    this.calls.set(id, this.list.length);
    if (REPORT_TOOL.test(name)) this.push({ kind: "report", value: reportOf(input), isValid: null }, place);
    else this.push({ kind: "tool", name, input, result: null }, place);
  }

  private addResult({ id, output, failed }: { id: string; output: string; failed: boolean }, place: Place): void {
    const index = this.calls.get(id);
    const call = index === undefined ? undefined : this.list[index];
    const result = { output, failed, at: place.line.at };
    this.calls.delete(id);
    if (index === undefined || call === undefined) return this.push({ kind: "result", result }, place);
    this.moved.set(place.line.offset, index);
    const lastOffset = place.line.offset;
    if (call.kind === "tool") this.list[index] = { ...call, result, lastOffset };
    if (call.kind === "report") this.list[index] = { ...call, isValid: !failed, lastOffset };
  }

  /** Some CLIs repeat the session with every message. */
  private addSession(session: SessionEvent, place: Place): void {
    if (this.session === session.id) return;
    this.session = session.id;
    this.push({ kind: "session", session }, place);
  }

  private addReport(value: unknown, place: Place): void {
    const last = this.list.at(-1);
    if (last?.kind === "text" && repeatsValue(last.text, value)) this.list.pop();
    this.push({ kind: "report", value, isValid: null }, place);
  }

  /** CLIs repeat the error that ends the run. */
  private addError(message: string, place: Place): void {
    if (this.lastError === message) return;
    this.lastError = message;
    this.push({ kind: "error", message }, place);
  }
}

interface Place {
  readonly line: EntryLine;
  readonly key: string;
}

function canJoin(last: Entry, text: string, { line }: Place): boolean {
  const isNear = Math.floor(last.offset / PART_BYTES) === Math.floor(line.offset / PART_BYTES);
  const pause = Date.parse(line.at) - Date.parse(last.at);
  return isNear && text.length < MAX_JOINED && pause < MAX_PAUSE_MS;
}

/** The tool takes the report itself, or in a field. */
function reportOf(input: unknown): unknown {
  return isFields(input) && isFields(input["report"]) ? input["report"] : input;
}
