import type { Form } from "./secret-forms.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

export interface FormFinder {
  readonly longest: number;
  /** Returns the longest form at each position where one starts. They may overlap. */
  find(text: string): readonly Span[];
  /** Returns the first position where a form starts that is cut off by the end of the text, or the text's length. */
  cutOff(text: string): number;
}

const BLOCK = 3;
const HASH_MASK = 0x7fff;
const PAIR_MASK = 0xfff;

/**
 * Searches for all forms at once (Wu-Manber). Three characters at each position tell how far it can skip to the next position
 * where a form could end its first `width` characters, so most of the text is never read.
 */
export function createFormFinder(forms: readonly Form[]): FormFinder {
  const width = forms.reduce((least, { text }) => Math.min(least, text.length), 255);
  const longest = forms.reduce((most, { text }) => Math.max(most, text.length), 0);
  const skips = new Uint8Array(HASH_MASK + 1).fill(Math.max(1, width - BLOCK + 1));
  const longestFirst = forms.toSorted((a, b) => b.text.length - a.text.length);
  const byBlock = Map.groupBy(longestFirst, ({ text }) => blockHash(text, width - 1));
  const byBeginning = Map.groupBy(longestFirst, ({ text }) => pairHash(text, 0));
  for (const { text } of forms)
    for (let end = BLOCK - 1; end < width; end++) {
      const hash = blockHash(text, end);
      skips[hash] = Math.min(skips[hash] ?? 0, width - 1 - end);
    }

  return {
    longest,
    find(text) {
      const spans: Span[] = [];
      if (forms.length === 0) return spans;
      for (let at = width - 1; at < text.length;) {
        const hash = blockHash(text, at);
        const skip = skips[hash] ?? 1;
        if (skip > 0) {
          at += skip;
          continue;
        }
        const start = at - width + 1;
        const found = byBlock.get(hash)?.find((form) => text.startsWith(form.text, start));
        if (found !== undefined) spans.push({ start, end: start + found.text.length, name: found.name });
        at += 1;
      }
      return spans;
    },
    cutOff(text) {
      const last = text.length - 1;
      for (let at = Math.max(0, text.length - longest + 1); at < last; at++)
        if (byBeginning.get(pairHash(text, at))?.some((form) => isCutOff(form.text, text, at)) === true) return at;
      return forms.some((form) => form.text.charCodeAt(0) === text.charCodeAt(last)) ? last : text.length;
    },
  };
}

function blockHash(text: string, end: number): number {
  return ((text.charCodeAt(end - 2) << 10) ^ (text.charCodeAt(end - 1) << 5) ^ text.charCodeAt(end)) & HASH_MASK;
}

function pairHash(text: string, start: number): number {
  return ((text.charCodeAt(start) << 6) ^ text.charCodeAt(start + 1)) & PAIR_MASK;
}

function isCutOff(form: string, text: string, start: number): boolean {
  return form.length > text.length - start && form.startsWith(text.slice(start));
}
