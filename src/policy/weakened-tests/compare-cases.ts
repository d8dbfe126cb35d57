import type { ChangedFile } from "../diff/changed-file.ts";
import { expand, helpersOf, textOf } from "./compare-assertions.ts";
import type { TestChange } from "./find-tests.ts";
import { squeeze } from "./mask.ts";
import type { CaseMatch } from "./match-cases.ts";
import type { TestCase, TestFile } from "./read-tests.ts";
import { countOf, withoutCounted, type Weakening } from "./weakening.ts";

const ADVICE = "Restore it. Fix a wrong test instead of removing it.";

/** Finds tests that were removed, or that no runner finds any more. */
export function compareCases(
  match: CaseMatch,
  changes: readonly TestChange[],
  files: readonly ChangedFile[],
): Weakening[] {
  const lost = findLost(match, changes);
  const isHidden = createSearch(lost, files);
  const changeOf = new Map(changes.map((change) => [change.before, change]));
  const byFile = Map.groupBy(lost, (test) => test.file);
  const weakenings = [...byFile].flatMap(([file, tests]) => {
    const change = changeOf.get(file);
    const whole = tests.length > 1 && tests.length === file.cases.length && change?.after == null;
    if (whole)
      return [
        describeFile(file, tests, { hidden: tests.every(isHidden), deleted: change?.file.change.after === null }),
      ];
    return tests.map((test) => describeTest(test, isHidden(test)));
  });
  return [...weakenings, ...match.pairs.flatMap(findOutsidePattern)];
}

/** Limit for the number of characters to search, over all tests. */
const MAX_SEARCHED = 200_000_000;

/** Whether the body of a test still exists somewhere. Only used for the message. */
function createSearch(lost: readonly TestCase[], files: readonly ChangedFile[]): (test: TestCase) => boolean {
  const sources = files.flatMap((file) => file.after?.text ?? []);
  const size = sources.reduce((sum, text) => sum + text.length, 0);
  if (lost.length === 0 || lost.length > 200 || lost.length * size > MAX_SEARCHED) return () => false;
  const squeezed = sources.map((text) => squeeze(text));
  return (test) => {
    const body = bodyAlone(test);
    return squeezed.some((text) => text.includes(body));
  };
}

function describeFile(
  file: TestFile,
  tests: readonly TestCase[],
  how: { hidden: boolean; deleted: boolean },
): Weakening {
  const what = how.hidden
    ? `The ${tests.length} tests of this file are in a place where no test runner finds them`
    : how.deleted
      ? `This file was deleted with its ${tests.length} tests`
      : `The ${tests.length} tests of this file were removed`;
  return {
    path: file.path,
    line: tests[0]?.line ?? null,
    what: `${what} (line number before the change)`,
    advice: ADVICE,
  };
}

function describeTest(test: TestCase, hidden: boolean): Weakening {
  const what = hidden ? "was renamed so that no test runner finds it" : "was removed";
  return {
    path: test.file.path,
    line: test.line,
    what: `The test "${test.name}" ${what} (line number before the change)`,
    advice: ADVICE,
  };
}

function findOutsidePattern({ before, after }: { before: TestCase; after: TestCase }): Weakening[] {
  const { ecosystem } = before.file;
  if (!ecosystem.runs.test(before.file.path) || ecosystem.runs.test(after.file.path)) return [];
  const what = `The test "${after.name}" was moved here from ${before.file.path}, but no test runner searches a file with this name`;
  return [{ path: after.file.path, line: after.line, what, advice: ADVICE }];
}

/** The body without the name, which stays the same when only the test's name stops matching the pattern. */
function bodyAlone(test: TestCase): string {
  const text = squeeze(test.file.source.text.slice(test.start, test.end));
  const brace = text.search(/[{:]/);
  return brace < 0 ? text : text.slice(brace);
}

/** A test is not lost if other tests have its assertions, or a table has its values. */
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
    .map(({ file, start, end }) => ({
      ecosystem: file.ecosystem,
      values: valuesIn(file.source.spoken.slice(start, end)),
    }));
  return match.gone.filter((test) => {
    const asserted = expand(test, before);
    if (asserted.length === 0) return true;
    if (asserted.every((assertion) => (spare.get(textOf(assertion)) ?? 0) > 0)) {
      withoutCounted(asserted, spare, textOf);
      return false;
    }
    const values = valuesIn(asserted.map(({ text }) => text.replace(MESSAGE, "")).join("\n"));
    const inTable = tables.some(
      (table) => table.ecosystem === test.file.ecosystem && [...values].every((value) => table.values.has(value)),
    );
    return values.size === 0 || !inTable;
  });
}

/** The failure message of a conditional assertion is not part of the expectation. */
const MESSAGE = /\{\w+\.(?:Error|Fatal|Fail).*$/s;

function isTable(test: TestCase): boolean {
  return test.file.ecosystem.table.test(test.file.source.code.slice(test.start, test.end));
}

function valuesIn(text: string): Set<string> {
  return new Set(
    [...text.matchAll(/(["'`])((?:(?!\1)[^\\\n]|\\.){0,200})\1|(?<![\w.])-?\d[\d._]*/g)].map(
      (found) => found[2] ?? found[0],
    ),
  );
}
