import { countUpTo } from "../../core/text/line-index.ts";
import { createBlockSearch } from "./dead-code.ts";
import type { Ecosystem } from "./ecosystem.ts";
import { endOfStatement, indentEnds, type Layout } from "./layout.ts";
import type { Span } from "./read-tests.ts";

const CONDITION = /(?<![\w$.#@])(?:if|while|switch)\b/g;
const INDENTED_CONDITION = /^[ \t]*(?:if|elif|while)\b/gm;
/** Code that may run after its test has ended, unless the test waits for it. */
const TIMER = /(?<![\w$.])(?:setTimeout|setImmediate)\s*\(/g;
const WAITED_FOR = /\b(?:resolve|reject|done|next)\b/;
/** Whatever follows it in its block is skipped if the condition holds. */
const BARE_RETURN = /^[{\s]*return\s*(?:undefined|null|None)?\s*;?[}\s]*$/;
const AFTER_OPERATOR = /(?:&&|\|\||\?)\s*$/;

/**
 * Whether code at a position runs only under a condition: inside an `if`, or after an `if (…) return`. Conditions around one of
 * the `starts` of tests do not count, because the whole test depends on them.
 */
export function createConditionTest(
  code: string,
  layout: Layout,
  ecosystem: Ecosystem,
  starts: readonly number[],
): (place: number) => boolean {
  const found = ecosystem.isIndented ? conditionsByIndent(code, layout) : conditionsByBrackets(code, layout);
  const spans: Span[] = [];
  for (const span of found.toSorted((one, other) => one.start - other.start)) {
    const hasTest = countUpTo(starts, span.end - 1, Number) > countUpTo(starts, span.start, Number);
    // In Go, the condition is the assertion: `if got != want { t.Error() }`.
    const isAssertion = ecosystem.conditional === true && !span.isGuarded;
    if (!hasTest && !isAssertion && span.end > (spans.at(-1)?.end ?? -1)) spans.push(span);
  }
  return (place) =>
    place < (spans[countUpTo(spans, place, ({ start }) => start) - 1]?.end ?? -1) ||
    AFTER_OPERATOR.test(code.slice(Math.max(0, place - 20), place));
}

interface Condition extends Span {
  /** After a `return` instead of inside the block. */
  readonly isGuarded: boolean;
}

function conditionsByBrackets(code: string, layout: Layout): Condition[] {
  const found = [...code.matchAll(CONDITION)];
  const blockAt = found.length === 0 ? () => null : createBlockSearch(layout, code);
  const timed = [...code.matchAll(TIMER)].flatMap(({ index, 0: call }): Condition[] => {
    const end = layout.closes.get(index + call.length - 1) ?? code.length;
    return WAITED_FOR.test(code.slice(index, end)) ? [] : [{ start: index, end, isGuarded: false }];
  });
  const conditions = found.flatMap(({ index, 0: word }): Condition[] => {
    const block = blockAt(index);
    const inside = bodyAt(code, layout, index + word.length);
    if (inside === null) return [];
    const body = code.slice(inside.start, inside.end);
    if (!BARE_RETURN.test(body)) return [{ ...inside, isGuarded: false }];
    if (isAsserted(code.slice(Math.max(block ?? 0, index - MAX_LOOK_BACK), index), code.slice(index, inside.start)))
      return [];
    const end = block === null ? code.length : (layout.closes.get(block) ?? code.length);
    return [{ start: inside.end, end, isGuarded: true }];
  });
  return [...conditions, ...timed];
}

const MAX_LOOK_BACK = 2000;

/** Whether what the condition asks was asserted before, as in `expect(got.ok).toBe(true); if (!got.ok) return;`. */
function isAsserted(before: string, condition: string): boolean {
  const [subject] = /(?<=[\s(!])[A-Za-z_$][\w$.]*/.exec(condition.replace(/^\w+/, " ")) ?? [];
  if (subject === undefined) return false;
  const name = subject.replaceAll(/[$.]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?:expect|assert)[\w.!]*[\s(]+${name}(?![\w$.])`).test(before);
}

/** The block or the statement after a condition, with or without brackets around the condition. */
function bodyAt(code: string, layout: Layout, place: number): Span | null {
  const next = place + code.slice(place, place + 200).search(/\S/);
  const close = code[next] === "(" ? layout.closes.get(next) : undefined;
  const from = close === undefined ? place + code.slice(place, place + 400).search(/\{/) : close + 1;
  if (from < place) return null;
  const start = from + Math.max(0, code.slice(from, from + 200).search(/\S/));
  if (code[start] === "{") return { start, end: (layout.closes.get(start) ?? code.length) + 1 };
  return { start, end: endOfStatement(code, layout, start) + 1 };
}

function conditionsByIndent(code: string, layout: Layout): Condition[] {
  const found = [...code.matchAll(INDENTED_CONDITION)];
  if (found.length === 0) return [];
  const [ends, lines] = [indentEnds(code), code.split("\n")];
  const indentOf = (line: number): number => lines[line]?.search(/\S/) ?? -1;
  return found.flatMap(({ index }): Condition[] => {
    const line = layout.lineAt(index);
    let end = ends[line] ?? lines.length;
    const body = lines.slice(line, end).join("\n");
    const inside = { start: index, end: layout.startOf(end), isGuarded: false };
    if (!BARE_RETURN.test(body.slice(body.search(/:[ \t]*(?:\n|return)/) + 1))) return [inside];
    if (isAsserted(code.slice(Math.max(0, index - MAX_LOOK_BACK), index), body)) return [];
    while (end < lines.length && indentOf(end) === indentOf(line)) end = ends[end] ?? lines.length;
    return [{ start: inside.end, end: layout.startOf(end), isGuarded: true }];
  });
}
