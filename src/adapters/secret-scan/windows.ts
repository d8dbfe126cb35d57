import type { AddedText } from "./read-change.ts";

/** The time of the rules grows faster than the length of the text, so it is scanned in windows of this many characters. */
const WINDOW = 500_000;
/** Overlap of neighbouring windows, so that no match is cut. Four times the longest private key. */
const OVERLAP = 16_000;

/** Splits a text into windows that keep their position. They start and end at line breaks, except within very long lines. */
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

/** End of the last line before `limit`. Null if that is too far back. */
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
