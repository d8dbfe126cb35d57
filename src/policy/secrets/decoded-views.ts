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
  const edits: Edit[] = [];
  for (let at = text.indexOf("%"); at !== -1; at = text.indexOf("%", at + 1)) {
    const [high, low] = [hexDigit(text.charCodeAt(at + 1)), hexDigit(text.charCodeAt(at + 2))];
    if (high !== null && low !== null) edits.push({ start: at, end: at + 3, code: high * 16 + low });
  }
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
  if (end < FULL_LINE) return false;
  for (let at = end - 1; at >= end - FULL_LINE; at--) if (!isBase64(text.charCodeAt(at))) return false;
  return true;
}

/** Null if it is not a digit, including NaN beyond the end of the text. */
function hexDigit(code: number): number | null {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : null;
}

function isBase64(code: number): boolean {
  const letter = code | 0x20;
  if (letter >= 0x61 && letter <= 0x7a) return true;
  // Digits, and + / - _.
  return (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2f || code === 0x2d || code === 0x5f;
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
  return { text: toText(codes.subarray(0, length)), starts, ends, end: to };
}

/** In chunks, because the number of function arguments is limited. */
function toText(codes: Uint16Array): string {
  const parts: string[] = [];
  for (let at = 0; at < codes.length; at += 8192)
    // `apply` accepts any array-like, and is ten times faster than spreading.
    parts.push(String.fromCharCode.apply(null, codes.subarray(at, at + 8192) as unknown as number[]));
  return parts.join("");
}
