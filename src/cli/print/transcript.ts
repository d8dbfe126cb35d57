import { terminalLine, terminalText } from "../../core/text/terminal-text.ts";
import type { TranscriptEventJson } from "../../http/client/client.ts";
import { cutToFit, wrapLines } from "./terminal/fit-text.ts";
import { paint, type Screen, type Style } from "./terminal/style.ts";
import { describeTime } from "./terminal/time.ts";
import { money } from "./terminal/words.ts";

const BAR = "│ ";
const MAX_NAME = 40;
const MAX_LINE = 200;
const MAX_RESULT = 2_000;

/**
 * Formats one event of an agent's transcript. What the agent wrote, and what its tools printed, stands behind a bar; our own
 * lines start at the left edge, so that no text can imitate them.
 */
export function renderEvent(screen: Screen, event: TranscriptEventJson): string {
  switch (event.type) {
    case "text":
    case "raw":
      return quoteAgent(screen, event.text);
    case "thinking":
      return quoteAgent(screen, event.text, "gray");
    case "tool_call":
      return describeCall(screen, event.name, event.input);
    case "tool_result":
      return quoteAgent(screen, event.output.slice(0, MAX_RESULT), event.failed ? "red" : "gray");
    case "file_change":
      return ownLine(screen, "yellow", event.change, event.path);
    case "usage":
      return ownLine(screen, "gray", `${event.tokens.input} in, ${event.tokens.output} out, ${money(event.cost_usd)}`);
    case "limit":
      return ownLine(
        screen,
        "yellow",
        `${event.kind} limit${event.resets_at === null ? "" : `, resets ${describeTime(event.resets_at)}`}`,
      );
    case "session":
      return "";
    case "outcome":
      return describeCall(screen, "reported", event.value);
    case "error":
      return quoteAgent(screen, event.message, "red");
  }
}

export function quoteAgent(screen: Screen, text: string, style: Style | null = null): string {
  const bar = paint(screen, "gray", BAR);
  const lines = wrapLines(screen, terminalText(text), BAR.length);
  return lines.map((line) => `${bar}${style === null ? line : paint(screen, style, line)}\n`).join("");
}

function describeCall(screen: Screen, name: string, value: unknown): string {
  return ownLine(screen, "cyan", terminalLine(name, MAX_NAME), JSON.stringify(value) ?? "");
}

/** A line of our own about something that the agent did. Cut, so that its end cannot stand at the left edge. */
function ownLine(screen: Screen, style: Style, what: string, about = ""): string {
  const head = `▸ ${what}`;
  const rest = about === "" ? "" : ` ${cutToFit(screen, terminalLine(about, MAX_LINE), head.length + 1)}`;
  return `${paint(screen, style, head)}${rest}\n`;
}
