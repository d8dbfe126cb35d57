import { diffLines } from "../../../core/change/diff-lines.ts";
import { terminalText } from "../../../core/text/terminal-text.ts";
import { indentText } from "../terminal/fit-text.ts";
import { paint, type Screen } from "../terminal/style.ts";

const CONTEXT = 1;

/** What a revision changed, line by line, with one line around each change. Empty if the texts are equal. */
export function describeRevision(screen: Screen, before: string, after: string): string {
  const [old, now] = [before, after].map((text) => terminalText(text).trim().split("\n")) as [string[], string[]];
  const lines = mergeLines(old, now);
  if (lines.every(({ sign }) => sign === " ")) return "";
  const shown = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== " "),
  );
  return lines
    .flatMap((line, index) => {
      if (shown[index] === true) return [renderLine(screen, line)];
      // One mark for all lines that are left out.
      return index > 0 && shown[index - 1] === true && shown.indexOf(true, index) !== -1 ? ["    …"] : [];
    })
    .map((line) => `${line}\n`)
    .join("");
}

interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

function mergeLines(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  const { removed, added } = diffLines(old, now);
  const [gone, come] = [new Set(removed), new Set(added)];
  const merged: DiffLine[] = [];
  let at = 0;
  for (const [index, text] of now.entries()) {
    for (; gone.has(at); at += 1) merged.push({ sign: "-", text: old[at] ?? "" });
    merged.push({ sign: come.has(index) ? "+" : " ", text });
    if (!come.has(index)) at += 1;
  }
  for (; at < old.length; at += 1) merged.push({ sign: "-", text: old[at] ?? "" });
  return merged;
}

function renderLine(screen: Screen, { sign, text }: DiffLine): string {
  const line = indentText(screen, `${sign} ${text}`.trimEnd(), "    ", "      ");
  if (sign === " ") return line;
  return paint(screen, sign === "-" ? "red" : "green", line);
}
