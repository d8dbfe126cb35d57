import type { ChangedFile } from "./changed-file.ts";
import type { DiffRules, Finding } from "./finding.ts";
import { severityOf } from "./finding.ts";
import { compareAssertions } from "../weakened-tests/compare-assertions.ts";
import { compareCases } from "../weakened-tests/compare-cases.ts";
import { compareSkips, compareSwallows } from "../weakened-tests/compare-marks.ts";
import { compareNumbers } from "../weakened-tests/compare-numbers.ts";
import type { NumberSource } from "../weakened-tests/compare-numbers.ts";
import { compareSnapshots } from "../weakened-tests/compare-snapshots.ts";
import { findTests } from "../weakened-tests/find-tests.ts";
import type { TestChange } from "../weakened-tests/find-tests.ts";
import { matchCases } from "../weakened-tests/match-cases.ts";
import type { TestCase, TestFile } from "../weakened-tests/read-tests.ts";
import { CONFIG_NUMBERS, compareSoftCommands, definesChecks } from "../weakened-tests/soft-commands.ts";
import type { Trick } from "../weakened-tests/trick.ts";

/** Tests that say less than before, looked at over all files together: what moved is not lost. */
export function checkTests(files: readonly ChangedFile[], rules: DiffRules): Finding[] {
  const changes = findTests(files);
  const before = changes.flatMap((change) => change.before ?? []);
  const after = changes.flatMap((change) => change.after ?? []);
  const match = matchCases(before, after);
  const fresh = Map.groupBy(match.fresh, (test) => test.file);
  const tricks: Trick[] = [
    ...soften(
      compareCases(match, changes, () => files.flatMap((file) => file.after?.text ?? [])),
      files,
    ),
    ...compareAssertions(match, before, after),
    ...compareSkips(changes, match),
    ...compareSwallows(changes),
    ...compareNumbers([...changes.map((change) => numbersOfTests(change, fresh)), ...numbersOfConfig(files)]),
    ...compareSoftCommands(files),
    ...compareSnapshots(files),
  ];
  const once = new Map(tricks.map((trick) => [`${trick.path}\0${trick.line}\0${trick.what}`, trick]));
  return [...once.values()].map((trick) => ({
    rule: "weakened_test",
    severity: trick.mild ? "warning" : severityOf(rules.weakenedTests),
    path: trick.path,
    line: trick.line,
    message: `${trick.what}. ${trick.advice}`,
  }));
}

/** Tests of something that is deleted with them go for a good reason. */
function soften(tricks: readonly Trick[], files: readonly ChangedFile[]): Trick[] {
  const gone = new Set(files.filter((file) => file.change.after === null).map((file) => file.path));
  const deleted = new Set([...gone].map(stemOf));
  return tricks.map((trick) => {
    const stem = stemOf(trick.path);
    const tested = /^(?:test_)?(.+?)(?:[._-]?(?:test|tests|spec|it|suite))?$/i.exec(stem)?.[1];
    const isMild = gone.has(trick.path) && tested !== undefined && tested !== stem && deleted.has(tested);
    return isMild ? { ...trick, mild: true } : trick;
  });
}

function stemOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "");
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
