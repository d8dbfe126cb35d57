import type { AddedText } from "./read-change.ts";

/** The rules take more than twice as long for a text of twice the length; pieces of this many characters they like. */
const WINDOW = 500_000;
/** What neighbours share, so that nothing is cut in two: the longest private key has a quarter of it. */
const OVERLAP = 16_000;

/** A text in pieces that know where they are from. They begin and end with lines, unless a line is longer than a piece. */
export function cutIntoWindows(added: AddedText): readonly AddedText[] {
  const { text } = added;
  const windows: AddedText[] = [];
  let start = 0;
  while (text.length - start > WINDOW) {
    const end = afterLine(text, start + WINDOW) ?? start + WINDOW;
    windows.push(viewOf(added, start, end));
    start = afterLine(text, end - OVERLAP) ?? end - OVERLAP;
  }
  return [...windows, viewOf(added, start, text.length)];
}

/** Where the last line before `limit` ends; null when that is too far back to be worth it. */
function afterLine(text: string, limit: number): number | null {
  const before = text.slice(limit - OVERLAP, limit).lastIndexOf("\n");
  return before < 0 ? null : limit - OVERLAP + before + 1;
}

function viewOf(added: AddedText, offset: number, end: number): AddedText {
  if (offset === 0 && end === added.text.length) return added;
  return {
    path: added.path,
    text: added.text.slice(offset, end),
    isBinary: added.isBinary,
    lineAt: (at) => added.lineAt(at + offset),
    startOf: (line) => added.startOf(line) - offset,
    isAdded: (from, to) => added.isAdded(from + offset, to + offset),
  };
}
