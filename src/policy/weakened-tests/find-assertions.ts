import { findAliases, type Aliases } from "./aliases.ts";
import type { Ecosystem } from "./ecosystem.ts";
import { endOfStatement, type Layout } from "./layout.ts";
import { squeeze, type Masked } from "./mask.ts";

export interface Assertion {
  readonly place: number;
  /** Starts at 1. */
  readonly line: number;
  /** Without whitespace and comments. */
  readonly text: string;
  /** Strength: 3 for an exact value, 2 for a part or a range, 1 for existence. */
  readonly level: 1 | 2 | 3;
  /** Name of the called function, if it may be one of the project's own. */
  readonly calls: string | null;
  /** It runs only if something else holds, so it says little. */
  readonly isConditional?: true;
}

export function findAssertions(source: Masked, layout: Layout, ecosystem: Ecosystem): Assertion[] {
  const found: Assertion[] = [];
  let left = 4 * source.code.length;
  const aliases = findAliases(source.spoken, ecosystem.name);
  for (const match of allCalls(source.code, ecosystem, aliases)) {
    if (isDeclaration(source.code, match.index)) continue;
    const from = match.groups?.["infix"] === undefined ? match.index : startOfLine(source.code, match.index);
    const condition = ecosystem.conditional ? conditionAround(source, layout, match.index) : "";
    // Limits the total work for a file that consists only of starts of assertions.
    const longest = left > 0 ? undefined : 80;
    const end = endOfStatement(
      source.code,
      layout,
      match.index + match[0].length - (/[([{]$/.test(match[0]) ? 1 : 0),
      longest,
    );
    left -= end - from;
    const piece = condition + source.spoken.slice(from, end);
    const text = squeeze(aliases === null ? piece : aliases.resolve(piece));
    if (isVacuous(text, ecosystem)) continue;
    const calls = /^(?:self\.|this\.)?(\w+)\s*\($/.exec(match[0])?.[1] ?? null;
    const level = levelOf(text, ecosystem);
    found.push({ text, level, place: match.index, line: layout.lineAt(from) + 1, calls });
  }
  return found;
}

/** Sorted by position, without matches inside another match: `v.expect(` contains a known word, too. */
function allCalls(code: string, ecosystem: Ecosystem, aliases: Aliases | null): Iterable<RegExpExecArray> {
  const usual = code.matchAll(ecosystem.assertion);
  if (aliases === null) return usual;
  let end = 0;
  return [...usual, ...code.matchAll(aliases.calls)]
    .toSorted((one, other) => one.index - other.index)
    .filter((match) => {
      if (match.index < end) return false;
      end = match.index + match[0].length;
      return true;
    });
}

function levelOf(text: string, ecosystem: Ecosystem): 1 | 2 | 3 {
  const head = text.length > 400 ? text.slice(0, 300) + text.slice(-100) : text;
  if (ecosystem.slight.test(head)) return 1;
  return ecosystem.partial.test(head) ? 2 : 3;
}

function isDeclaration(code: string, place: number): boolean {
  return /\b(?:function|def|fn|func|fun|void)\s+$/.test(code.slice(Math.max(0, place - 20), place));
}

/** Looks back a limited distance, because a file may be one long line. */
function startOfLine(code: string, place: number): number {
  const before = code.slice(Math.max(0, place - 400), place);
  const start = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("{"), before.lastIndexOf(";")) + 1;
  return place - before.length + start + Math.max(0, before.slice(start).search(/\S/));
}

/** Finds `if got != want {` for a call on the same line or one of the next lines. */
function conditionAround(source: Masked, layout: Layout, place: number): string {
  for (let line = layout.lineAt(place), looked = 0; line >= 0 && looked < 4; line--, looked++) {
    const start = layout.startOf(line);
    const text = source.code.slice(start, Math.min(place, layout.startOf(line + 1)));
    const head = /^[\s}]*(?:else\s+)?(if\b.*\{)/.exec(text);
    if (!head?.[1]) continue;
    const open = start + head[0].length - 1;
    if ((layout.closes.get(open) ?? 0) < place) return "";
    return squeeze(source.spoken.slice(open + 1 - head[1].length, open + 1));
  }
  return "";
}

const VALUE = String.raw`(?:true|True|false|False|None|null|nil|\d+|"[^"]*")`;
const EMPTY = new RegExp(
  String.raw`^(?:self\.|Assertions\.|Assert\.)?(?:expect|assert\w*!?|(?:assert|require)\.\w+)[ (]?(?:t,)?${VALUE}(?:(?:\)\.[\w.]+\(|,|===?)${VALUE})?\)*(?:\.\w+\(\))?$`,
);
const SAME =
  /^(?:expect\((.{1,200})\)\.to(?:Be|Equal|StrictEqual)\(\1\)|[\w.]+(?:_eq|[eE]quals?|Same|assertIs|\.is)!?\((?:t,)?(.{1,200}),\2\)|assert\(?(.{1,200})===?\3\)?)$/;

/** A condition with an alternative that is always true. */
const ALWAYS =
  /(?:^assert|[ (,])(?:True|1|not False) or\b|\bor (?:True|1|not False)(?=[),]|$)|(?<![\w.])(?:true|1|!0|!false)\|\||\|\|(?:true|1|!0|!false)(?=[),]|$)/;
const NESTED = String.raw`(?:[^()]|\([^()]*\))`;
/** Forms that look like an assertion and check nothing. */
const NO_CHECK: Readonly<Record<string, RegExp>> = {
  // A tuple and a function are always true.
  Python: new RegExp(String.raw`^assert\(${NESTED}*,${NESTED}*\)$|^assert[ (]*lambda\b`),
  // `expect` without a matcher, or with a matcher that is not called.
  JavaScript: new RegExp(
    String.raw`^expect(?:\.soft|\.poll)?\(${NESTED}*\)(?:\.(?:not|resolves|rejects))*(?:\.to[A-Z]\w*)?$`,
  ),
};

/** An assertion that holds whatever the code does. */
function isVacuous(text: string, ecosystem: Ecosystem): boolean {
  if (text.length > 500) return false;
  return EMPTY.test(text) || SAME.test(text) || ALWAYS.test(text) || NO_CHECK[ecosystem.name]?.test(text) === true;
}
