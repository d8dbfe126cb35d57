export interface ChangedPart {
  readonly start: number;
  readonly end: number;
}

/** Lines that share less than this part of their characters were replaced, not edited. */
const MIN_SHARED = 0.3;

/** The part of a line that differs from its other version: what is between the common beginning and end. Null if there is none. */
export function findChangedPart(line: string, other: string): ChangedPart | null {
  const shortest = Math.min(line.length, other.length);
  if (line === other || shortest === 0) return null;
  let start = 0;
  while (start < shortest && line[start] === other[start]) start += 1;
  let end = 0;
  while (end < shortest - start && line[line.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  const shared = (start + end) / Math.max(line.length, other.length);
  if (shared < MIN_SHARED || start + end === line.length) return null;
  return { start: backToWord(line, start), end: line.length - end };
}

const WORD = /[\w-]/;

/** A changed word is marked from its beginning. */
function backToWord(line: string, at: number): number {
  let start = at;
  while (start > 0 && WORD.test(line[start] ?? "") && WORD.test(line[start - 1] ?? "")) start -= 1;
  return start;
}
