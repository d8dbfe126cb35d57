import { createConditionTest } from "./conditions.ts";
import { createDeadCodeTest } from "./dead-code.ts";
import type { Ecosystem } from "./ecosystem.ts";
import { findAssertions, type Assertion } from "./find-assertions.ts";
import { endOfStatement, indentEnds, computeLayout, type Layout } from "./layout.ts";
import { mask, squeeze, type Masked } from "./mask.ts";
import { countOf } from "./weakening.ts";

/** One side of a file that contains tests. */
export interface TestFile {
  readonly path: string;
  readonly ecosystem: Ecosystem;
  readonly source: Masked;
  readonly layout: Layout;
  readonly cases: readonly TestCase[];
  readonly helpers: readonly Helper[];
  readonly assertions: readonly Assertion[];
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface TestCase extends Span {
  readonly file: TestFile;
  readonly name: string;
  /** Starts at 1. */
  readonly line: number;
  /** The text without comments, whitespace, quote styles and the test's own name. */
  readonly body: string;
  readonly assertions: Assertion[];
}

export interface Helper extends Span {
  readonly name: string;
  readonly assertions: Assertion[];
}

export function readTests(path: string, text: string, ecosystem: Ecosystem): TestFile {
  const source = mask(text, ecosystem.literal);
  const layout = computeLayout(source.code);
  const isDead = createDeadCodeTest(source.code, layout, ecosystem);
  const cases: TestCase[] = [];
  const helpers: Helper[] = [];
  const assertions: Assertion[] = [];
  const file: TestFile = { path, ecosystem, source, layout, cases, helpers, assertions };
  const blocks = ecosystem.isIndented ? indentEnds(source.code) : null;
  const spanOf = (start: number, from: number): Span | null =>
    blocks ? indentedSpan(start, layout, blocks) : bracketSpan({ start, from }, source.code, layout, ecosystem);
  const [starts, ends] = [new Set<number>(), new Set<number>()];
  // Limits the work for deeply nested tests to a few times the file size.
  let left = 4 * text.length;
  for (const found of source.code.matchAll(ecosystem.test)) {
    const start = found.index + found[0].search(/\S/);
    const span = spanOf(start, found.index + found[0].length);
    if (!span || ends.has(span.end) || isDead(start)) continue;
    starts.add(span.start);
    ends.add(span.end);
    const whole = { start: withDecorators(span.start, source.code, layout, ecosystem), end: span.end };
    const name = found.groups?.["name"] ?? firstString(source.text.slice(start, Math.min(span.end, start + 300)));
    left -= span.end - span.start;
    const body = left < 0 ? "" : squeeze(source.spoken.slice(span.start, span.end)).replace(squeeze(name), "");
    cases.push({ ...whole, file, name, line: layout.lineAt(start) + 1, body, assertions: [] });
  }
  if (ecosystem.isIndented) dropRedefined(cases);
  for (const found of source.code.matchAll(ecosystem.routine)) {
    const span = spanOf(found.index + found[0].search(/\S/), found.index + found[0].length);
    // An inner function may end where its test ends.
    const isTest = blocks ? starts.has(span?.start ?? 0) : ends.has(span?.end ?? 0);
    if (span && !isTest) helpers.push({ ...span, name: found[1] ?? "", assertions: [] });
  }
  const isUncalled = createUncalledTest(file);
  const tests = cases.map(({ start }) => start);
  const isConditional = createConditionTest(source.code, layout, ecosystem, tests);
  for (const assertion of findAssertions(source, layout, ecosystem)) {
    const { place } = assertion;
    if (isDead(place) || isUncalled(place)) continue;
    assertions.push(isConditional(place) ? { ...assertion, level: 1, isConditional: true } : assertion);
  }
  assignAssertions(assertions, cases);
  assignAssertions(assertions, helpers);
  return file;
}

/** In Python, a second function with the same name replaces the first one. */
function dropRedefined(cases: TestCase[]): void {
  const last = new Map<string, TestCase>();
  for (const test of cases.toReversed()) {
    const { code } = test.file.source;
    const scope = code.slice(0, test.start).lastIndexOf("\nclass ");
    const key = `${test.name} ${/^[ \t]*/.exec(code.slice(test.start, test.start + 100))?.[0].length} ${scope}`;
    if (last.has(key)) cases.splice(cases.indexOf(test), 1);
    else last.set(key, test);
  }
}

/** Whether code is in a function inside a test whose name appears nowhere else. */
function createUncalledTest({ cases, helpers, source, layout, ecosystem }: TestFile): (place: number) => boolean {
  const inner = helpers.filter(
    ({ start }) =>
      cases.some((test) => test.start < start && start < test.end) &&
      withDecorators(start, source.code, layout, ecosystem) === start,
  );
  if (inner.length === 0) return () => false;
  const words = countOf(source.code.match(/[\w$]+/g) ?? [], (word) => word);
  const uncalled = inner.filter(({ name }) => words.get(name) === 1);
  return (place) => uncalled.some(({ start, end }) => start <= place && place < end);
}

function indentedSpan(start: number, layout: Layout, ends: readonly number[]): Span {
  const line = layout.lineAt(start);
  return { start: layout.startOf(line), end: layout.startOf(ends[line] ?? layout.lineCount) };
}

/** From the start of a test to the end of its block: `{ }` of a function, or `( )` of a call and of following calls. */
function bracketSpan(
  at: { start: number; from: number },
  code: string,
  layout: Layout,
  ecosystem: Ecosystem,
): Span | null {
  const isCall = ecosystem.name === "JavaScript" && /[(`]$/.test(code.slice(at.start, at.from));
  if (isCall) return { start: at.start, end: endOfCall(code, layout, at.from - 1) };
  const brace = nextBrace(code, layout, at.from);
  if (brace !== null) return { start: at.start, end: (layout.closes.get(brace) ?? code.length) + 1 };
  if (ecosystem.name !== "JavaScript" && ecosystem.name !== "JVM") return null;
  // An arrow function or `= expression` without a block.
  return { start: at.start, end: endOfStatement(code, layout, at.from) };
}

function nextBrace(code: string, layout: Layout, from: number): number | null {
  if (code[from - 1] === "{") return from - 1;
  // Parameters may contain braces, so skip everything up to the closing bracket.
  const open = code[from - 1] === "(" ? layout.closes.get(from - 1) : undefined;
  const start = open === undefined ? from : open + 1;
  const near = code.slice(start, start + 1000);
  for (const found of near.matchAll(/[{;=]|\n[ \t]*\n/g)) {
    if (found[0] === "{") return start + found.index;
    if (found[0] !== "=" || !/[\s\w)]/.test(near[found.index - 1] ?? "")) return null;
  }
  return null;
}

function endOfCall(code: string, layout: Layout, open: number): number {
  let end = (layout.closes.get(open) ?? endOfTemplate(code, open)) + 1;
  const next = /\s*\(/y;
  next.lastIndex = end;
  while (next.test(code)) {
    end = (layout.closes.get(next.lastIndex - 1) ?? code.length) + 1;
    next.lastIndex = end;
  }
  return end;
}

function endOfTemplate(code: string, open: number): number {
  const end = code.indexOf("`", open + 1);
  return end < 0 ? code.length : end;
}

function withDecorators(start: number, code: string, layout: Layout, ecosystem: Ecosystem): number {
  if (ecosystem.decorator === undefined) return start;
  let kept = start;
  for (let line = layout.lineAt(start) - 1, looked = 0; line >= 0 && looked < 200; line--, looked++) {
    const text = code.slice(layout.startOf(line), layout.startOf(line + 1));
    if (text.trim() === "") break;
    if (ecosystem.decorator.test(text)) kept = layout.startOf(line);
    else if (/[{};]\s*$|:\s*$/.test(text)) break;
  }
  return kept;
}

function firstString(text: string): string {
  return /(["'`])((?:(?!\1)[^\\]|\\[^])*)\1/.exec(text)?.[2] ?? squeeze(text.slice(0, 80));
}

/** Assigns every assertion to the innermost span around it. Spans are sorted by their start. */
function assignAssertions(
  assertions: readonly Assertion[],
  spans: readonly (Span & { assertions: Assertion[] })[],
): void {
  const ordered = spans.toSorted((one, other) => one.start - other.start);
  const open: (Span & { assertions: Assertion[] })[] = [];
  let next = 0;
  for (const assertion of assertions) {
    for (let span = ordered[next]; span && span.start <= assertion.place; span = ordered[++next]) {
      while ((open.at(-1)?.end ?? Infinity) <= span.start) open.pop();
      open.push(span);
    }
    while ((open.at(-1)?.end ?? Infinity) <= assertion.place) open.pop();
    open.at(-1)?.assertions.push(assertion);
  }
}
