import stringWidth from "fast-string-width";
import { wrapAnsi } from "fast-wrap-ansi";
import type { Screen } from "./style.ts";

const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Number of terminal cells. Colours take none, wide characters and emoji take two. */
export function textWidth(text: string): number {
  return stringWidth(text);
}

/** Cuts a text without colours to a number of terminal cells. `keep` is the end that stays. */
export function cutText(text: string, width: number, keep: "start" | "end" = "start"): string {
  if (textWidth(text) <= width) return text;
  const all = Array.from(characters.segment(text), ({ segment }) => segment);
  let rest = width - 1;
  const fits = (character: string): boolean => (rest -= textWidth(character)) >= 0;
  if (keep === "start") return `${all.slice(0, countWhile(all, fits)).join("").trimEnd()}…`;
  const kept = countWhile(all.toReversed(), fits);
  return `…${all
    .slice(all.length - kept)
    .join("")
    .trimStart()}`;
}

function countWhile<T>(items: readonly T[], holds: (item: T) => boolean): number {
  const end = items.findIndex((item) => !holds(item));
  return end === -1 ? items.length : end;
}

const MIN_WRAP = 20;

/**
 * Breaks lines that are too long for the terminal, with `indent` cells less than it has. The rest of a line is indented like
 * its start. `hard` also breaks long words. In a pipe, lines stay as they are.
 */
export function wrapLines({ width }: Screen, text: string, indent: number, hard = true): readonly string[] {
  const lines = text.split("\n");
  const room = (width ?? 0) - indent;
  if (room < MIN_WRAP) return lines;
  return lines.flatMap((line) => {
    const [start = ""] = /^[ \t]*/.exec(line) ?? [];
    const shift = room - textWidth(start) < MIN_WRAP ? "" : start;
    const parts = wrapAnsi(line.slice(start.length), room - textWidth(shift), { hard }).split("\n");
    return parts.map((part) => `${shift}${part}`);
  });
}

/**
 * Indents each line, all but the first by `hang`. Lines are broken to fit: otherwise the end of a long line of an agent would
 * start at the left edge, like our own lines.
 */
export function indentText(screen: Screen, text: string, indent: string, hang = indent): string {
  const [first = "", ...rest] = wrapLines(screen, text, textWidth(hang));
  return [`${indent}${first}`, ...rest.map((line) => (line === "" ? "" : `${hang}${line}`))].join("\n");
}

/** Cuts a text so that it ends at the right edge of the terminal, if `used` cells of the line are taken. */
export function cutToFit({ width }: Screen, text: string, used: number): string {
  return width === undefined ? text : cutText(text, Math.max(MIN_WRAP, width - used));
}
