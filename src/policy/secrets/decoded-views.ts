/** A part of a text after decoding. */
export interface DecodedView {
  readonly text: string;
  /** Start and end of each character in the original. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** End of the view in the original. */
  readonly end: number;
}

/** The range from `start` to `end` of the original decodes to the character of this code, or to nothing. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly code: number | null;
}

const JSON_BREAK = String.raw`\n`;
const JSON_RETURN = String.raw`\r`;

/** Decodes the surroundings of every `%41`. `reach` is the maximum distance at which a match could start or end. */
export function percentViews(text: string, reach: number): readonly DecodedView[] {
  // Searching for one character is much faster than the pattern.
  if (!text.includes("%")) return [];
  const edits = Array.from(text.matchAll(/%([\dA-Fa-f]{2})/g), ({ index, 1: digits = "" }) => ({
    start: index,
    end: index + 3,
    code: Number.parseInt(digits, 16),
  }));
  return viewsAround(text, edits, reach);
}

/** Encoders wrap their output at 60 to 76 characters. These views join the lines. */
export function unwrappedViews(text: string, reach: number): readonly DecodedView[] {
  const edits = ["\n", JSON_BREAK].flatMap((lineBreak) => findWraps(text, lineBreak));
  return viewsAround(
    text,
    edits.toSorted((a, b) => a.start - b.start),
    reach,
  );
}

const FULL_LINE = 60;
const BASE64_LINE = /^[\w+/-]*$/;

function findWraps(text: string, lineBreak: string): readonly Edit[] {
  const edits: Edit[] = [];
  for (let at = text.indexOf(lineBreak); at !== -1; at = text.indexOf(lineBreak, at + 1)) {
    const start = startOfBreak(text, at);
    if (!isFullLine(text, start)) continue;
    let end = at + lineBreak.length;
    while (text[end] === " " || text[end] === "\t") end += 1;
    edits.push({ start, end, code: null });
  }
  return edits;
}

/** Includes carriage returns, plain or escaped. */
function startOfBreak(text: string, at: number): number {
  if (text[at - 1] === "\r") return at - 1;
  return text.startsWith(JSON_RETURN, at - 2) ? at - 2 : at;
}

function isFullLine(text: string, end: number): boolean {
  return end >= FULL_LINE && BASE64_LINE.test(text.slice(end - FULL_LINE, end));
}

/** Nearby edits share a view, so that a match across several of them is found. */
function viewsAround(text: string, edits: readonly Edit[], reach: number): readonly DecodedView[] {
  const views: DecodedView[] = [];
  for (let first = 0; first < edits.length;) {
    let last = first;
    while (gapAfter(edits, last) <= reach) last += 1;
    const near = edits.slice(first, last + 1);
    const from = Math.max(0, (near[0]?.start ?? 0) - reach);
    const to = Math.min(text.length, (near.at(-1)?.end ?? 0) + reach);
    views.push(decode(text, near, { from, to }));
    first = last + 1;
  }
  return views;
}

function gapAfter(edits: readonly Edit[], index: number): number {
  const [edit, next] = [edits[index], edits[index + 1]];
  return edit === undefined || next === undefined ? Number.POSITIVE_INFINITY : next.start - edit.end;
}

function decode(text: string, edits: readonly Edit[], { from, to }: { from: number; to: number }): DecodedView {
  const codes = new Uint16Array(to - from);
  const starts = new Uint32Array(to - from);
  const ends = new Uint32Array(to - from);
  let length = 0;
  let at = from;
  for (const edit of [...edits, { start: to, end: to, code: null }]) {
    for (; at < edit.start; at++, length++) {
      codes[length] = text.charCodeAt(at);
      starts[length] = at;
      ends[length] = at + 1;
    }
    if (edit.code !== null) {
      codes[length] = edit.code;
      starts[length] = edit.start;
      ends[length] = edit.end;
      length += 1;
    }
    at = edit.end;
  }
  const decoder = new TextDecoder("utf-16le", { ignoreBOM: true });
  return { text: decoder.decode(codes.subarray(0, length)), starts, ends, end: to };
}
