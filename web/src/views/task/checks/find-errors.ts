import { findFailures } from "../../../../../src/core/check-output/find-failures.ts";

const LOOKS_LIKE_ERROR = /(?:error|\bfailed|\bfailure|\bpanic|\bfatal|exception|\bnot ok)\b|^\s*[×✖✗]/i;
/** Written by the engine between two runs of a check. */
const OWN_LINE = /^\[nightshift\] /;
/** "0 failed", "no errors". */
const NO_ERROR = /\b(?:0|no) (?:errors?|failed|failures?)\b/i;
/** Indexes of the lines that say what failed. Known formats of test programs first; else lines with a typical word. */
export function findErrorLines(lines: readonly string[]): readonly number[] {
  const known = findFailures(lines).map(({ start }) => start);
  if (known.length > 0) return [...new Set(known)].toSorted((a, b) => a - b);
  return lines.flatMap((line, index) =>
    LOOKS_LIKE_ERROR.test(line) && !NO_ERROR.test(line) && !OWN_LINE.test(line) ? [index] : [],
  );
}

/** The first line that says what failed, or the last one if none does. Null for no text. */
export function findFirstError(text: string): string | null {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const [first] = findErrorLines(lines);
  const details = first === undefined ? undefined : lines.slice(first).find((line) => /^\s*\w*Error\b/.test(line));
  const line = details ?? (first === undefined ? lines.at(-1) : lines[first]);
  return line?.trim() ?? null;
}
