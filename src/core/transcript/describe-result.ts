import type { ToolResult } from "./entry.ts";

const MAX_SHORT = 60;
const EXIT = /^exit code:? (\d+)/im;

/** The result of a tool call in a few words: "exit 1, 31 lines". */
export function describeResult({ output, failed }: ToolResult): string {
  const text = output.trim();
  const exit = EXIT.exec(text.slice(0, 10_000))?.[1] ?? null;
  const lines = countLines(text);
  const end = exit !== null ? `exit ${exit}` : failed ? "failed" : null;
  const rest =
    text === ""
      ? "no output"
      : lines > 1 || text.length > MAX_SHORT
        ? `${lines.toLocaleString("en-US")} ${lines === 1 ? "line" : "lines"}`
        : null;
  if (end === null) return rest ?? text;
  return rest === null || (exit !== null && lines === 1) ? end : `${end}, ${rest}`;
}

export function countLines(text: string): number {
  let count = text === "" ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

export interface ShortText {
  readonly text: string;
  /** How many lines and characters of lines are missing. */
  readonly hiddenLines: number;
  readonly hiddenCharacters: number;
}

/** The first lines of a long text, each cut. A single line of a tool can have a megabyte. */
export function shortenText(text: string, { maxLines, maxLine }: { maxLines: number; maxLine: number }): ShortText {
  const lines = text.split("\n", maxLines);
  let hiddenCharacters = 0;
  const shown = lines.map((line) => {
    if (line.length <= maxLine) return line;
    hiddenCharacters += line.length - maxLine;
    return `${line.slice(0, maxLine)}…`;
  });
  return { text: shown.join("\n"), hiddenLines: Math.max(0, countLines(text) - lines.length), hiddenCharacters };
}
