import { isDeepStrictEqual } from "node:util";
import { withoutFence } from "../../../core/text/fenced-blocks.ts";
import { terminalLine, terminalText } from "../../../core/text/terminal-text.ts";
import type { TranscriptEventJson } from "../../../http/client/client.ts";
import type { Screen } from "../terminal/style.ts";
import { describeTime } from "../terminal/time.ts";
import { money, plural } from "../terminal/words.ts";
import { foldText, type Fold } from "./fold.ts";
import { ownLine, quoteAgent, quoteMarkdown, quoteTool } from "./quote.ts";
import { describeToolCall } from "./tool-call.ts";

const MAX_NAME = 60;
const MAX_LINE = 200;
/** Longer Markdown is not rendered, so it is printed in parts. */
const MAX_TEXT = 10_000;
const MAX_CALLS = 1_000;
const RESULT = { head: 8, tail: 0 };
/** The reason of a failure is usually at the end. */
const FAILED_RESULT = { head: 3, tail: 8 };

export interface TranscriptOptions {
  /** Print parameters and results of tools in full. */
  readonly full: boolean;
  /** Print the usage of each request, because the run has no sums yet. */
  readonly usage: boolean;
}

type EventOf<T extends TranscriptEventJson["type"]> = Extract<TranscriptEventJson, { type: T }>;

/** Formats the transcript of one run. */
export class TranscriptPrinter {
  private readonly screen: Screen;
  private readonly options: TranscriptOptions;
  private text = "";
  private isTextOpen = false;
  private session: string | null = null;
  /** Calls without a result so far, by id. The newest one is the last. */
  private readonly calls = new Map<string, string>();
  private lastCall: string | null = null;
  private lastError: string | null = null;
  private shortened = false;

  constructor(screen: Screen, options: TranscriptOptions) {
    this.screen = screen;
    this.options = options;
  }

  /** Returns what can be printed now. Text is kept until `flush`, so that Markdown is rendered as a whole. */
  add(event: TranscriptEventJson): string {
    // Usage often stands between an error and its repetition.
    if (event.type !== "error" && event.type !== "usage") this.lastError = null;
    if (event.type === "text") return this.addText(event);
    if (event.type === "outcome") this.dropRepeated(event.value);
    return this.flush() + this.describe(event);
  }

  /** Whether something of a tool was left out. */
  get isShortened(): boolean {
    return this.shortened;
  }

  private readonly fold: Fold = (text, limits) => {
    const all = terminalText(text).trimEnd();
    if (this.options.full) return all;
    const short = foldText(all, limits);
    this.shortened ||= short !== all;
    return short;
  };

  /** Returns the text that was kept. Call it when nothing follows, or nothing follows soon. */
  flush(): string {
    const { text } = this;
    this.text = "";
    this.isTextOpen = false;
    return quoteMarkdown(this.screen, text);
  }

  /** Returns the text that was kept, unless its end is still missing. */
  flushComplete(): string {
    return this.isTextOpen ? "" : this.flush();
  }

  private addText({ text, partial = false }: EventOf<"text">): string {
    const before = this.text.length > MAX_TEXT ? this.flush() : "";
    this.text += this.text === "" || this.isTextOpen ? text : `\n${text}`;
    this.isTextOpen = partial;
    return before;
  }

  /** Some CLIs print the report as their last message. */
  private dropRepeated(value: unknown): void {
    try {
      if (isDeepStrictEqual(JSON.parse(withoutFence(this.text)), value)) this.text = "";
    } catch {
      // Not JSON, so it is a message.
    }
  }

  private describe(event: Exclude<TranscriptEventJson, EventOf<"text">>): string {
    const { screen } = this;
    switch (event.type) {
      case "raw":
        return quoteAgent(screen, this.fold(event.text, RESULT));
      case "thinking":
        return quoteAgent(screen, event.text.trim(), ["gray", "italic"]);
      case "tool_call":
        return this.describeCall(event);
      case "tool_result":
        return this.describeResult(event);
      case "file_change":
        return ownLine(screen, "yellow", event.change, terminalLine(event.path, MAX_LINE));
      case "usage":
        return this.options.usage ? ownLine(screen, "gray", describeUsage(event)) : "";
      case "limit":
        return ownLine(screen, "yellow", describeLimit(event));
      case "session":
        return this.describeSession(event);
      case "outcome":
        return describeToolCall(screen, { name: "reported", input: event.value }, this.fold);
      case "error":
        return this.describeError(event.message);
    }
  }

  private describeCall({ id, name, input }: EventOf<"tool_call">): string {
    if (this.calls.size >= MAX_CALLS) this.calls.clear();
    this.calls.set(id, name);
    this.lastCall = id;
    return describeToolCall(this.screen, { name, input }, this.fold);
  }

  private describeResult({ id, output, failed }: EventOf<"tool_result">): string {
    const name = this.calls.get(id);
    // Calls at the same time return in any order.
    const heading =
      this.lastCall === id || name === undefined
        ? ""
        : ownLine(this.screen, "gray", `result of ${terminalLine(name, MAX_NAME)}`);
    this.calls.delete(id);
    this.lastCall = null;
    const text = this.fold(output, failed ? FAILED_RESULT : RESULT);
    if (text === "") return failed ? `${heading}${ownLine(this.screen, "red", "failed without output")}` : "";
    return heading + quoteTool(this.screen, text, failed ? "red" : "gray");
  }

  /** Some CLIs repeat the session with every message. */
  private describeSession({ id, version, model, tools, directory }: EventOf<"session">): string {
    if (this.session === id) return "";
    this.session = id;
    const parts = [
      ...(version === undefined ? [] : [`version ${terminalLine(version, MAX_NAME)}`]),
      ...(model === undefined ? [] : [`model ${terminalLine(model, MAX_NAME)}`]),
      `session ${terminalLine(id, MAX_NAME)}`,
    ];
    const names = (tools ?? []).map((tool) => terminalLine(tool, MAX_NAME));
    return [
      ownLine(this.screen, "gray", parts.join(", ")),
      directory === undefined ? "" : ownLine(this.screen, "gray", "directory:", terminalLine(directory, MAX_LINE)),
      names.length === 0 ? "" : this.describeTools(names.join(", "), names.length),
    ].join("");
  }

  private describeTools(names: string, total: number): string {
    const list = quoteTool(this.screen, this.fold(names, RESULT), "gray");
    return `${ownLine(this.screen, "gray", plural(total, "tool"))}${list}`;
  }

  /** CLIs repeat the error that ends the run. */
  private describeError(message: string): string {
    if (this.lastError === message) return "";
    this.lastError = message;
    return quoteAgent(this.screen, message, "red");
  }
}

function describeUsage({ tokens, cost_usd: cost }: EventOf<"usage">): string {
  const cached = tokens.cache_read + tokens.cache_write;
  const counts = [`${count(tokens.input)} in`, `${count(tokens.output)} out`];
  return [
    ...counts,
    ...(cached === 0 ? [] : [`${count(cached)} cached`]),
    ...(cost === null ? [] : [money(cost)]),
  ].join(", ");
}

function describeLimit({ kind, resets_at: resetsAt }: EventOf<"limit">): string {
  return `${kind} limit${resetsAt === null ? "" : `, resets ${describeTime(resetsAt)}`}`;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
