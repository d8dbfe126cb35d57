import { HIDDEN } from "../../core/text/terminal-text.ts";
import type { DecodedView } from "./decoded-views.ts";

/**
 * Views of a text without the characters that a terminal does not show, because a secret with `\e[31m` or NUL inside is shown
 * plain. Agents print JSON, so some views decode JSON escapes. `isOpen`: the text may continue. Positions are expensive, so only
 * views whose text `isRelevant` are returned.
 */
export function cleanedViews(
  text: string,
  {
    alphabet,
    isOpen,
    isRelevant,
  }: { alphabet: "text" | "bytes"; isOpen: boolean; isRelevant: (cleaned: string) => boolean },
): readonly DecodedView[] {
  const hasRaw = RAW[alphabet].test(text) || (isOpen && alphabet === "bytes" && OPEN_CHARACTER.test(text.slice(-4)));
  const hasEscaped = ESCAPED.test(text);
  if (!hasRaw && !hasEscaped) return [];
  const decoded = alphabet === "bytes" ? decodeUtf8(text, isOpen) : null;
  const ways = [
    hiddenSteps(HIDDEN, isOpen ? OPEN_END : null),
    hiddenSteps(HIDDEN.slice(1), isOpen ? OPEN_SEQUENCE : null),
  ];
  const all = [...(hasRaw ? ways : []), ...(hasEscaped ? ways.map((steps) => [UNESCAPE, ...steps]) : [])];
  return all
    .filter((steps) => isRelevant(steps.reduce((left, [from, to]) => left.replace(from, to), decoded?.text ?? text)))
    .map((steps) => steps.reduce(rewrite, decoded ?? plainView(text)));
}

/**
 * What looks like the start of a string may be none, if the text before it was cut off. So there are steps with and without
 * strings. Removing a string can form the start of a sequence, so the open end is removed before each step.
 */
function hiddenSteps(patterns: readonly RegExp[], open: RegExp | null): readonly Step[] {
  const all = patterns.flatMap((pattern, at) => {
    if (open === null) return [pattern];
    return [at === 0 ? open : OPEN_SEQUENCE, pattern];
  });
  return [...all, EMOJI_SELECTOR].map((pattern) => [pattern, removed]);
}

/** The escape sequence or JSON escape that the end of the text cuts off. */
export function openEnd(text: string): string {
  return text.slice(-MAX_OPEN_END).match(OPEN_END)?.[0] ?? "";
}

/** Replaces every match by at most one character, computed from the whole match and its groups. */
type Step = readonly [pattern: RegExp, toText: (found: string, ...groups: string[]) => string];

function removed(): string {
  return "";
}

/** Whether a text contains anything that a terminal does not show. The bytes are the first ones of such characters in UTF-8. */
const RAW = {
  text: /[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]|(?![\t\n\r])\p{Cc}/u,
  bytes:
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\u00c2[\u0080-\u009f\u00ad]|\u00cd\u008f|\u00d8\u009c|\u00e1[\u0085\u009e\u00a0]|\u00e2[\u0080\u0081]|\u00e3\u0085|\u00ef[\u00b8\u00bb\u00be\u00bf]|\u00f0[\u009b\u009d]|\u00f3\u00a0/,
};
/** JSON can write any character as an escape, and readers decode it. */
const ESCAPED = /\\(?:[ubf]|$)/;
const JSON_CODES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
/** The emoji selector stays in texts, but it hides a secret as well. */
const EMOJI_SELECTOR = /\ufe0f/g;
const MAX_OPEN_END = 1000;
/** An escape sequence or JSON escape that the end of the text cuts off, and the same with strings. */
const OPEN_ESCAPE = String.raw`\\(?:u[\da-f]{0,3})?$`;
const SEQUENCE_START = String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*|\u001b[ -/]*`;
const STRING_START = String.raw`(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\n]*\u001b?`;
const [OPEN_SEQUENCE, OPEN_END] = [SEQUENCE_START, `${STRING_START}|${SEQUENCE_START}`].map(
  (start) => new RegExp(`(?:${start})(?:${OPEN_ESCAPE}|$)|${OPEN_ESCAPE}`, "gi"),
) as [RegExp, RegExp];

const UNESCAPE: Step = [
  /\\(?:u([\da-f]{4})|([bfnrt"\\/]))/gi,
  (_, hex: string | undefined, letter: string | undefined) =>
    hex === undefined ? (JSON_CODES[letter ?? ""] ?? letter ?? "") : String.fromCharCode(Number.parseInt(hex, 16)),
];

/** A replacement keeps the position of the whole match. */
function rewrite(view: DecodedView, [pattern, toText]: Step): DecodedView {
  const { text, starts, ends, end } = view;
  const parts: string[] = [];
  const [newStarts, newEnds] = [new Uint32Array(text.length), new Uint32Array(text.length)];
  let [at, length] = [0, 0];
  const keepUntil = (to: number): void => {
    parts.push(text.slice(at, to));
    newStarts.set(starts.subarray(at, to), length);
    newEnds.set(ends.subarray(at, to), length);
    length += to - at;
  };
  for (const found of text.matchAll(pattern)) {
    keepUntil(found.index);
    at = found.index + found[0].length;
    const replacement = toText(...(found as unknown as [string, ...string[]]));
    if (replacement === "") continue;
    parts.push(replacement);
    newStarts[length] = starts[found.index] ?? 0;
    newEnds[length] = ends[at - 1] ?? end;
    length += 1;
  }
  if (at === 0 && length === 0) return view;
  keepUntil(text.length);
  return { text: parts.join(""), starts: newStarts, ends: newEnds, end };
}

function plainView(text: string): DecodedView {
  const starts = Uint32Array.from({ length: text.length }, (_, at) => at);
  return { text, starts, ends: starts.map((at) => at + 1), end: text.length };
}

const UTF8 = /[\u0080-\u00ff]+/g;

const OPEN_CHARACTER = /(?:[\u00c2-\u00df]|[\u00e0-\u00ef][\u0080-\u00bf]?|[\u00f0-\u00f4][\u0080-\u00bf]{0,2})$/;

/** Decodes a text with one character per byte. If it may continue, a character that is cut off is left out. */
function decodeUtf8(all: string, isOpen: boolean): DecodedView {
  const bytes = isOpen ? all.replace(OPEN_CHARACTER, "") : all;
  if (!/[\u0080-\u00ff]/.test(bytes)) return { ...plainView(bytes), end: all.length };
  const parts: string[] = [];
  const [starts, ends] = [new Uint32Array(bytes.length), new Uint32Array(bytes.length)];
  let [at, length] = [0, 0];
  const add = (text: string, width: (unit: number) => number): void => {
    parts.push(text);
    for (let unit = 0; unit < text.length; unit++, length++) {
      starts[length] = at;
      ends[length] = at + width(unit);
      at += width(unit);
    }
  };
  for (const { index, 0: run } of bytes.matchAll(UTF8)) {
    add(bytes.slice(at, index), () => 1);
    while (at < index + run.length) {
      const width = widthOf(bytes, at);
      const start = at;
      const character = width === 1 ? "\ufffd" : decodeCharacter(bytes.slice(at, at + width));
      add(character, (unit) => (unit === character.length - 1 ? start + width - at : 0));
    }
  }
  add(bytes.slice(at), () => 1);
  return { text: parts.join(""), starts, ends, end: all.length };
}

/** Number of bytes of the character, 1 if it is not valid UTF-8. */
function widthOf(bytes: string, at: number): number {
  const first = bytes.charCodeAt(at);
  const width = first >= 0xf0 && first <= 0xf4 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  if (first > 0xf4) return 1;
  return /^[\u0080-\u00bf]*$/.test(bytes.slice(at + 1, at + width)) && at + width <= bytes.length ? width : 1;
}

function decodeCharacter(bytes: string): string {
  const [first = 0, ...others] = Array.from(bytes, (byte) => byte.charCodeAt(0));
  const head = first & (0xff >> (bytes.length + 1));
  const code = others.reduce((value, byte) => (value << 6) | (byte & 0x3f), head);
  return code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
}
