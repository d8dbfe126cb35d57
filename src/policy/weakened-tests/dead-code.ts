import { countUpTo } from "../../core/text/line-index.ts";
import type { Ecosystem } from "./ecosystem.ts";
import { endOfStatement, indentEnds, type Layout } from "./layout.ts";
import type { Span } from "./read-tests.ts";

const END =
  /(?<![\w$.#@])(?:return\b(?!\s*:)|(?:break|continue)\b|(?:process|Deno)\.exit\s*\(|os\.Exit\s*\(|runtime\.Goexit\s*\(|System\.exit\s*\(|exitProcess\s*\(|(?:std::)?process::exit\s*\()/g;
const NEVER =
  /\b(?:if|while)\s*(?:\(\s*)?(?:false|0|!1|!true)\s*(?:\)\s*)?\{|\bfor\s*(?:await\s*)?\([^(){};\n]{1,200}\bof\s*\[\s*\]\s*\)\s*\{/g;
const INDENTED_END =
  /^[ \t]*(?:if\s+True\s*:[ \t]*)?(?:(?:return|break|continue)\b|raise\s+SystemExit\b|sys\.exit\s*\(|os\._exit\s*\(|exit\s*\()/gm;
const INDENTED_NEVER =
  /^[ \t]*(?:(?:if|while)\s+(?:False|0|not True)|for\s[^\n:]{1,200}\sin\s*(?:\[\s*\]|\(\s*\)))\s*:/gm;

/** Whether the code at a position never runs: after a `return` in the same block, or in `if (false)`. Only what is certain. */
export function createDeadCodeTest(code: string, layout: Layout, ecosystem: Ecosystem): (place: number) => boolean {
  const found = ecosystem.isIndented ? deadByIndent(code, layout) : deadByBrackets(code, layout);
  const spans: Span[] = [];
  for (const span of found.toSorted((one, other) => one.start - other.start)) {
    // A span inside another one adds nothing.
    if (span.end > (spans.at(-1)?.end ?? -1)) spans.push(span);
  }
  return (place) => place < (spans[countUpTo(spans, place, ({ start }) => start) - 1]?.end ?? -1);
}

function deadByBrackets(code: string, layout: Layout): Span[] {
  const ends = [...code.matchAll(END)].filter(({ index }) => isStatement(code, index));
  const blockAt = ends.length === 0 ? () => null : createBlockSearch(layout, code);
  const after = ends.flatMap(({ index }): Span[] => {
    const block = blockAt(index);
    // In a `switch`, the next case follows.
    if (block === null || /\b(?:switch|select|match|when)\b[^{};]*$/.test(code.slice(Math.max(0, block - 200), block)))
      return [];
    const start = endOfStatement(code, layout, index);
    const end = layout.closes.get(block) ?? code.length;
    return /[^\s;]/.test(code.slice(start, end)) ? [{ start, end }] : [];
  });
  const never = [...code.matchAll(NEVER)].map(({ index, 0: text }) => {
    const open = index + text.length - 1;
    return { start: open, end: layout.closes.get(open) ?? code.length };
  });
  return [...after, ...never];
}

/** Not the body of an `if`, a loop or a `case` without braces. */
function isStatement(code: string, place: number): boolean {
  const before = code.slice(Math.max(0, place - 400), place).replace(/\bif\s*\(\s*(?:true|1|!0)\s*\)\s*$/, "");
  const last = before.trimEnd();
  if (/(?:^|[;{}])$/.test(last)) return true;
  if (!/\n\s*$/.test(before) || /(?:[:,=(&|?+]|=>|\b(?:else|do|case|in|of))$/.test(last)) return false;
  return !/\b(?:if|for|while|with|catch|when|match|else)\b[^;{}]*$/.test(last);
}

/** Returns the innermost open brace around a position. Positions have to increase. */
export function createBlockSearch(layout: Layout, code: string): (place: number) => number | null {
  const braces = [...layout.closes.keys()].filter((at) => code[at] === "{").toSorted((one, other) => one - other);
  const open: number[] = [];
  let next = 0;
  return (place) => {
    for (let brace = braces[next]; brace !== undefined && brace < place; brace = braces[++next]) {
      dropClosed(open, brace, layout);
      open.push(brace);
    }
    dropClosed(open, place, layout);
    return open.at(-1) ?? null;
  };
}

function dropClosed(open: number[], place: number, layout: Layout): void {
  for (let last = open.at(-1); last !== undefined && (layout.closes.get(last) ?? 0) < place; last = open.at(-1))
    open.pop();
}

function deadByIndent(code: string, layout: Layout): Span[] {
  const [ends, never] = [[...code.matchAll(INDENTED_END)], [...code.matchAll(INDENTED_NEVER)]];
  if (ends.length + never.length === 0) return [];
  const next = indentEnds(code);
  const lines = code.split("\n");
  const indentOf = (line: number): number => lines[line]?.search(/\S/) ?? -1;
  const after: Span[] = [];
  for (const { index } of ends) {
    if (index < (after.at(-1)?.end ?? 0)) continue;
    const line = layout.lineAt(index);
    const first = next[line] ?? lines.length;
    let end = first;
    while (end < lines.length && indentOf(end) === indentOf(line)) end = next[end] ?? lines.length;
    if (end > first) after.push({ start: layout.startOf(first), end: layout.startOf(end) });
  }
  const inside = never.map(({ index }) => {
    const line = layout.lineAt(index);
    return { start: index, end: layout.startOf(next[line] ?? lines.length) };
  });
  return [...after, ...inside];
}
