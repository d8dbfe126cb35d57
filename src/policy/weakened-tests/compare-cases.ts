import { expand, helpersOf, textOf } from "./compare-assertions.ts";
import type { TestChange } from "./find-tests.ts";
import type { CaseMatch } from "./match-cases.ts";
import type { TestCase, TestFile } from "./read-tests.ts";
import { squeeze } from "./squeeze.ts";
import { countOf, withoutCounted } from "./trick.ts";
import type { Trick } from "./trick.ts";

const ADVICE = "Bring it back; a test that is wrong is corrected, not removed.";

/** Tests that are not there any more, or that no runner will find. `sources` are the texts of all files as they are now. */
export function compareCases(
  match: CaseMatch,
  changes: readonly TestChange[],
  sources: () => readonly string[],
): Trick[] {
  const lost = findLost(match, changes);
  const isHidden = lost.length === 0 ? () => false : createSearch(lost, sources());
  const changeOf = new Map(changes.map((change) => [change.before, change]));
  const byFile = Map.groupBy(lost, (test) => test.file);
  const tricks = [...byFile].flatMap(([file, tests]) => {
    const change = changeOf.get(file);
    const whole = tests.length > 1 && tests.length === file.cases.length && change?.after == null;
    if (whole)
      return [wholeFile(file, tests, { hidden: tests.every(isHidden), deleted: change?.file.change.after === null })];
    return tests.map((test) => oneTest(test, isHidden(test)));
  });
  return [...tricks, ...match.pairs.flatMap(outOfPattern)];
}

/** As many characters as are gone through for it, over all tests. */
const MOST_SEARCHED = 200_000_000;

/** Whether the body of a test still stands somewhere. It is for the words only, and looks through everything. */
function createSearch(lost: readonly TestCase[], sources: readonly string[]): (test: TestCase) => boolean {
  const size = sources.reduce((sum, text) => sum + text.length, 0);
  if (lost.length > 200 || lost.length * size > MOST_SEARCHED) return () => false;
  const squeezed = sources.map((text) => squeeze(text));
  return (test) => {
    const body = bodyAlone(test);
    return squeezed.some((text) => text.includes(body));
  };
}

function wholeFile(file: TestFile, tests: readonly TestCase[], how: { hidden: boolean; deleted: boolean }): Trick {
  const what = how.hidden
    ? `The ${tests.length} tests of this file stand where no runner looks for tests`
    : how.deleted
      ? `This file was deleted with its ${tests.length} tests`
      : `The ${tests.length} tests of this file are gone`;
  return {
    path: file.path,
    line: tests[0]?.line ?? null,
    what: `${what} (the line is of the file before)`,
    advice: ADVICE,
  };
}

function oneTest(test: TestCase, hidden: boolean): Trick {
  const what = hidden ? "was renamed so that no runner finds it" : "is gone";
  return {
    path: test.file.path,
    line: test.line,
    what: `The test "${test.name}" ${what} (the line is of the file before)`,
    advice: ADVICE,
  };
}

function outOfPattern({ before, after }: { before: TestCase; after: TestCase }): Trick[] {
  const { ecosystem } = before.file;
  if (!ecosystem.runs.test(before.file.path) || ecosystem.runs.test(after.file.path)) return [];
  const what = `The test "${after.name}" moved here from ${before.file.path}, and no runner looks for tests in a file of this name`;
  return [{ path: after.file.path, line: after.line, what, advice: ADVICE }];
}

/** What is between the name of a test and its end, which stays the same when only the name goes out of the pattern. */
function bodyAlone(test: TestCase): string {
  const text = squeeze(test.file.source.text.slice(test.start, test.end));
  const brace = text.search(/[{:]/);
  return brace < 0 ? text : text.slice(brace);
}

/** A test is not lost when other tests have its assertions now, or a table its values. */
function findLost(match: CaseMatch, changes: readonly TestChange[]): TestCase[] {
  if (match.gone.length === 0) return [];
  const before = helpersOf(changes.flatMap((change) => change.before ?? []));
  const after = helpersOf(changes.flatMap((change) => change.after ?? []));
  const others = [...match.fresh, ...match.pairs.map((pair) => pair.after)];
  const kept = match.pairs.flatMap((pair) => expand(pair.before, before));
  const now = others.flatMap((other) => expand(other, after));
  const spare = countOf(withoutCounted(now, countOf(kept, textOf), textOf), textOf);
  const tables = others
    .filter(isTable)
    .slice(0, 200)
    .map((other) => ({ ecosystem: other.file.ecosystem, values: valuesIn(spokenOf(other)) }));
  return match.gone.filter((test) => {
    const asserted = expand(test, before);
    if (asserted.length === 0) return true;
    if (asserted.every((assertion) => (spare.get(assertion.text) ?? 0) > 0)) {
      withoutCounted(asserted, spare, textOf);
      return false;
    }
    const values = valuesIn(asserted.map(({ text }) => text.replace(MESSAGE, "")).join("\n"));
    const inTable = tables.some((table) => table.ecosystem === test.file.ecosystem && covers(table.values, values));
    return values.size === 0 || !inTable;
  });
}

/** What a conditional assertion prints when it fails is not part of what it expects. */
const MESSAGE = /\{\w+\.(?:Error|Fatal|Fail).*$/s;

function isTable(test: TestCase): boolean {
  return test.file.ecosystem.table.test(test.file.source.code.slice(test.start, test.end));
}

function spokenOf(test: TestCase): string {
  return test.file.source.spoken.slice(test.start, test.end);
}

function valuesIn(text: string): Set<string> {
  return new Set(
    [...text.matchAll(/(["'`])((?:(?!\1)[^\\\n]|\\.){0,200})\1|(?<![\w.])-?\d[\d._]*/g)].map(
      (found) => found[2] ?? found[0],
    ),
  );
}

function covers(all: ReadonlySet<string>, some: ReadonlySet<string>): boolean {
  return [...some].every((value) => all.has(value));
}
