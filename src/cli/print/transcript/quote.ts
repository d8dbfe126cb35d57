import { terminalText } from "../../../core/text/terminal-text.ts";
import { cutText, cutToFit, textWidth, wrapLines } from "../terminal/fit-text.ts";
import { renderMarkdown } from "../terminal/markdown.ts";
import { paint, type Screen, type Style } from "../terminal/style.ts";

/** What an agent wrote, and what its tools printed, has a bar in front, so that no text can imitate our own lines. */
const BAR = "│ ";
const INDENT = "  ";
const MIN_ABOUT = 8;

export function quoteAgent(screen: Screen, text: string, style: Style | null = null): string {
  return quoteLines(screen, wrapLines(screen, terminalText(text), BAR.length), style);
}

/** What goes to a tool and comes from it is indented, so that it is not mistaken for what the agent says. */
export function quoteTool(screen: Screen, text: string, style: Style | null = null): string {
  const lines = wrapLines(screen, terminalText(text), BAR.length + INDENT.length);
  return quoteLines(
    screen,
    lines.map((line) => `${INDENT}${line}`),
    style,
  );
}

export function quoteMarkdown(screen: Screen, text: string): string {
  const inner = screen.width === undefined ? screen : { ...screen, width: screen.width - BAR.length };
  const rendered = renderMarkdown(inner, text, "");
  return rendered === "" ? "" : quoteLines(screen, rendered.split("\n"), null);
}

function quoteLines(screen: Screen, lines: readonly string[], style: Style | null): string {
  const bar = paint(screen, "gray", BAR);
  return lines.map((line) => `${bar}${style === null ? line : paint(screen, style, line)}\n`).join("");
}

/** A line of our own about something that the agent did. Cut, so that its end cannot start at the left edge. */
export function ownLine(screen: Screen, style: Style, what: string, about = ""): string {
  const head = cutToFit(screen, `▸ ${what}`, 0);
  const room = (screen.width ?? Infinity) - textWidth(head) - 1;
  const rest = about === "" || room < MIN_ABOUT ? "" : ` ${cutText(about, room)}`;
  return `${paint(screen, style, head)}${rest}\n`;
}
