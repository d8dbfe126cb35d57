import { terminalLine, terminalText } from "../../core/text/terminal-text.ts";
import type { TranscriptEventJson } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";
import { paint } from "./style.ts";
import { money } from "./words.ts";

const MAX_LINE = 200;
const MAX_RESULT = 2_000;

/** Formats one event of an agent's transcript for a terminal. */
export function renderEvent(context: Pick<CliContext, "color">, event: TranscriptEventJson): string {
  switch (event.type) {
    case "text":
    case "raw":
      return `${terminalText(event.text)}\n`;
    case "thinking":
      return `${paint(context, "gray", terminalText(event.text))}\n`;
    case "tool_call":
      return `${paint(context, "cyan", `▸ ${terminalLine(event.name, MAX_LINE)}`)} ${terminalLine(JSON.stringify(event.input) ?? "", MAX_LINE)}\n`;
    case "tool_result":
      return `${paint(context, event.failed ? "red" : "gray", terminalText(event.output.slice(0, MAX_RESULT)))}\n`;
    case "file_change":
      return `${paint(context, "yellow", `${event.change} ${terminalLine(event.path, MAX_LINE)}`)}\n`;
    case "usage":
      return `${paint(context, "gray", `  ${event.tokens.input} in, ${event.tokens.output} out, ${money(event.cost_usd)}`)}\n`;
    case "limit":
      return `${paint(context, "yellow", `  ${event.kind} limit${event.resets_at === null ? "" : ` until ${event.resets_at}`}`)}\n`;
    case "session":
      return "";
    case "outcome":
      return `${paint(context, "cyan", "▸ reported")} ${terminalLine(JSON.stringify(event.value) ?? "", MAX_LINE)}\n`;
    case "error":
      return `${paint(context, "red", terminalText(event.message))}\n`;
  }
}
