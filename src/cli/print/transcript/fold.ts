import { plural } from "../terminal/words.ts";

export interface FoldLimits {
  /** Lines that stay at the start and at the end. */
  readonly head: number;
  readonly tail: number;
}

/** Shortens a text from outside, if that is wanted. */
export type Fold = (text: string, limits: FoldLimits) => string;

/** Longer lines are cut: a single line of a tool can have a megabyte. */
const MAX_LINE = 400;

/** Shortens a long text to its first and last lines, and says how much is missing. */
export function foldText(text: string, { head, tail }: FoldLimits): string {
  const lines = text.split("\n");
  const hidden = lines.length - head - tail;
  // A line that says that one line is missing takes as much room as the line itself.
  if (hidden <= 1) return lines.map(cutLine).join("\n");
  const last = tail === 0 ? [] : lines.slice(-tail);
  return [...lines.slice(0, head).map(cutLine), `… ${hidden} more lines`, ...last.map(cutLine)].join("\n");
}

function cutLine(line: string): string {
  const characters = line.length - MAX_LINE;
  return characters <= 1 ? line : `${line.slice(0, MAX_LINE)}… ${plural(characters, "more character")}`;
}
