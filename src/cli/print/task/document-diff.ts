import { cutUnchanged, type DiffLine, mergeLines } from "../../../core/change/merge-lines.ts";
import { terminalText } from "../../../core/text/terminal-text.ts";
import { indentText } from "../terminal/fit-text.ts";
import { paint, type Screen } from "../terminal/style.ts";

const CONTEXT = 1;

/** What a revision changed, line by line, with one line around each change. Empty if the texts are equal. */
export function describeRevision(screen: Screen, before: string, after: string): string {
  const [old, now] = [before, after].map((text) => terminalText(text).trim().split("\n")) as [string[], string[]];
  const lines = mergeLines(old, now);
  if (lines.every(({ sign }) => sign === " ")) return "";
  return cutUnchanged(lines, CONTEXT)
    .map((line) => `${line === null ? "    …" : renderLine(screen, line)}\n`)
    .join("");
}

function renderLine(screen: Screen, { sign, text }: DiffLine): string {
  const line = indentText(screen, `${sign} ${text}`.trimEnd(), "    ", "      ");
  if (sign === " ") return line;
  return paint(screen, sign === "-" ? "red" : "green", line);
}
