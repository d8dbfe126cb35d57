import { nameOf, type ChangedFile } from "./changed-file.ts";
import type { Finding } from "./finding.ts";
import { compareAssertions } from "../weakened-tests/compare-assertions.ts";
import { compareCases } from "../weakened-tests/compare-cases.ts";
import { compareSkips, compareSwallows } from "../weakened-tests/compare-marks.ts";
import { compareOverrides } from "../weakened-tests/compare-overrides.ts";
import { compareNumbers, type NumberSource } from "../weakened-tests/compare-numbers.ts";
import { compareSnapshots } from "../weakened-tests/compare-snapshots.ts";
import { findTests, type TestChange } from "../weakened-tests/find-tests.ts";
import { matchCases } from "../weakened-tests/match-cases.ts";
import type { TestCase, TestFile } from "../weakened-tests/read-tests.ts";
import { CONFIG_NUMBERS, compareSoftCommands, definesChecks } from "../weakened-tests/soft-commands.ts";
import type { Weakening } from "../weakened-tests/weakening.ts";

/** Finds weakened tests over all files together, so that a moved test does not count as lost. Always an error. */
export function checkTests(files: readonly ChangedFile[]): Finding[] {
  const changes = findTests(files);
  const before = changes.flatMap((change) => change.before ?? []);
  const after = changes.flatMap((change) => change.after ?? []);
  const match = matchCases(before, after);
  const fresh = Map.groupBy(match.fresh, (test) => test.file);
  const weakenings: Weakening[] = [
    ...soften(compareCases(match, changes, files), files),
    ...compareAssertions(match, before, after),
    ...compareSkips(changes, match),
    ...compareSwallows(changes),
    ...compareOverrides(files),
    ...compareNumbers([...changes.map((change) => numbersOfTests(change, fresh)), ...numbersOfConfig(files)]),
    ...compareSoftCommands(files),
    ...compareSnapshots(files),
  ];
  const once = new Map(weakenings.map((trick) => [`${trick.path}\0${trick.line}\0${trick.what}`, trick]));
  return [...once.values()].map((trick) => ({
    rule: "weakened_test",
    severity: trick.mild ? "warning" : "error",
    path: trick.path,
    line: trick.line,
    message: `${trick.what}. ${trick.advice}`,
  }));
}

/** Removing tests together with the code they test is usually right, so it is only shown. */
function soften(weakenings: readonly Weakening[], files: readonly ChangedFile[]): Weakening[] {
  const gone = new Set(files.filter((file) => file.change.after === null).map((file) => file.path));
  const deleted = new Set([...gone].map(stemOf));
  return weakenings.map((trick) => {
    const stem = stemOf(trick.path);
    const tested = /^(?:test_)?(.+?)(?:[._-]?(?:test|tests|spec|it|suite))?$/i.exec(stem)?.[1];
    const isMild = gone.has(trick.path) && tested !== undefined && tested !== stem && deleted.has(tested);
    return isMild ? { ...trick, mild: true } : trick;
  });
}

function stemOf(path: string): string {
  return nameOf(path).replace(/\.[^.]+$/, "");
}

function numbersOfTests(change: TestChange, allFresh: ReadonlyMap<TestFile, readonly TestCase[]>): NumberSource {
  const rules = (change.before ?? change.after)?.ecosystem.numbers ?? [];
  const fresh = (change.after && allFresh.get(change.after)) ?? [];
  return {
    path: change.file.path,
    before: change.before?.source.code ?? null,
    after: change.after?.source.code ?? null,
    rules,
    isFresh: (place) => change.before === null || fresh.some((test) => test.start <= place && place < test.end),
  };
}

function numbersOfConfig(files: readonly ChangedFile[]): NumberSource[] {
  return files
    .filter((file) => definesChecks(file.path))
    .map((file) => ({
      path: file.path,
      before: withoutComments(file.before?.text),
      after: withoutComments(file.after?.text),
      rules: CONFIG_NUMBERS,
      isFresh: () => file.before === null,
    }));
}

function withoutComments(text: string | undefined): string | null {
  return text?.replaceAll(/^[ \t]*(?:#|\/\/)[^\n]*/gm, "") ?? null;
}
