import type { TestCounts } from "../../core/task/checks/judge-check.ts";
import { terminalText } from "../../core/text/terminal-text.ts";

interface Format {
  /** Matches one summary. Global and multiline. */
  readonly summary: RegExp;
  /** Counted in the summary: their numbers are added. */
  readonly ran: readonly RegExp[];
  /** Subtracted, for runners that count skipped tests among all. */
  readonly skipped?: RegExp;
  /** One summary per test. A log without its beginning has too few of them. */
  readonly perTest?: true;
}

const ASSERTIONS = /(\d+) (?:assertions?|expect\(\) calls)|Assertions: (\d+)/;

/** In this order: the first format that matches at a position counts. */
const FORMATS: readonly Format[] = [
  // vitest: `Tests  1 failed | 10 passed | 2 skipped (13)`; pest: `Tests:    1 failed, 12 passed (34 assertions)`
  { summary: /^ *Tests:? +[^\n]{0,200}\((?:\d+|\d+ assertions?)\) *$/gm, ran: [/(\d+) passed/, /(\d+) failed/] },
  // jest
  { summary: /^Tests: +[^\n]{0,200}\d+ total *$/gm, ran: [/(\d+) passed/, /(\d+) failed/] },
  // node --test (spec and TAP), tape
  { summary: /^(?:ℹ|#) pass {1,3}\d+\n(?:ℹ|#) fail {1,3}\d+/gmu, ran: [/pass +(\d+)/, /fail +(\d+)/] },
  { summary: /^# pass {1,3}\d+$(?!\n# fail)/gm, ran: [/pass +(\d+)/] },
  // mocha
  { summary: /^ {2}\d+ (?:passing(?: \([^)\n]{1,20}\))?|failing)$/gm, ran: [/(\d+)/] },
  // pytest
  {
    summary: /^=* ?(?:\d+ [a-z]+, ){0,8}\d+ [a-z]+ in [\d.:]+s?(?: \([\d:]+\))?(?: =+)?$/gm,
    ran: [/(\d+) passed/, /(\d+) failed/],
  },
  // unittest
  {
    summary: /^Ran \d+ tests? in [\d.]+s(?:\n\n(?:OK|FAILED)[^\n]{0,100})?/gm,
    ran: [/Ran (\d+)/],
    skipped: /skipped=(\d+)/,
  },
  // go test -v, and gotestsum
  { summary: /^ {0,40}--- (?:PASS|FAIL): \S+ \([\d.]+s\)$/gm, ran: [/()/], perTest: true },
  { summary: /^DONE \d+ tests?[^\n]{0,100}/gm, ran: [/DONE (\d+)/], skipped: /(\d+) skipped/ },
  // cargo test, nextest
  { summary: /^test result: [^\n]{0,200}/gm, ran: [/(\d+) passed/, /(\d+) failed/] },
  { summary: /^ *Summary \[[^\]\n]{1,20}\] [^\n]{0,200}/gm, ran: [/(\d+) tests? run/] },
  // Maven: the line of a module, not the lines of its classes; JUnit's console; Gradle
  {
    summary: /^(?:\[\w+\] )?Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+$/gm,
    ran: [/run: (\d+)/],
    skipped: /Skipped: (\d+)/,
  },
  { summary: /^\[ +\d+ tests (?:successful|failed) +\]$/gm, ran: [/(\d+)/] },
  { summary: /^\d+ tests? completed[^\n]{0,100}/gm, ran: [/^(\d+)/], skipped: /(\d+) skipped/ },
  // dotnet test, VSTest, Microsoft.Testing.Platform
  {
    summary: /^ *(?:Passed|Failed)! +- Failed: +\d+, Passed: +\d+, Skipped: +\d+[^\n]{0,200}/gm,
    ran: [/Passed: +(\d+)/, /Failed: +(\d+)/],
  },
  {
    summary: /^Total tests: \d+(?:\n +(?:Passed|Failed|Skipped): \d+){1,3}/gm,
    ran: [/Passed: (\d+)/, /Failed: (\d+)/],
  },
  { summary: /^ *total: \d+\n *failed: \d+\n *succeeded: \d+/gm, ran: [/succeeded: (\d+)/, /failed: (\d+)/] },
  // rspec
  { summary: /^\d+ examples?, [^\n]{0,100}/gm, ran: [/^(\d+)/], skipped: /(\d+) pending/ },
  // minitest, test-unit, ExUnit
  { summary: /^\d+ runs, \d+ assertions, [^\n]{0,100}/gm, ran: [/^(\d+)/], skipped: /(\d+) skips/ },
  { summary: /^\d+ tests?, \d+ assertions, [^\n]{0,100}/gm, ran: [/^(\d+)/], skipped: /(\d+) omissions/ },
  {
    summary: /^(?:\d+ (?:doctests?|properties), )?\d+ tests?, \d+ failures?[^\n]{0,100}/gm,
    ran: [/(\d+) tests?/],
    skipped: /(\d+) (?:skipped|excluded)/,
  },
  // PHPUnit
  { summary: /^OK \(\d+ tests?, \d+ assertions?\)/gm, ran: [/(\d+) tests?/] },
  { summary: /^Tests: \d+, Assertions: \d+[^\n]{0,200}/gm, ran: [/Tests: (\d+)/], skipped: /Skipped: (\d+)/ },
  // ava, Deno, bun
  { summary: /^ {2}\d+ tests? (?:passed|failed)$/gm, ran: [/(\d+)/] },
  { summary: /^(?:ok|FAILED) \| \d+ passed[^\n]{0,100}/gm, ran: [/(\d+) passed/, /(\d+) failed/] },
  {
    summary: /^ *\d+ pass\n(?: *\d+ (?:skip|todo)\n)* *\d+ fail(?:\n *\d+ expect\(\) calls)?/gm,
    ran: [/(\d+) pass/, /(\d+) fail/],
  },
  // ScalaTest, sbt, XCTest, GoogleTest, CTest
  {
    summary: /^(?:\[info\] )?Tests: succeeded \d+, failed \d+[^\n]{0,100}/gm,
    ran: [/succeeded (\d+)/, /failed (\d+)/],
  },
  { summary: /^(?:\[\w+\] )?(?:Passed|Failed): Total \d+, Failed \d+, Errors \d+, Passed \d+/gm, ran: [/Total (\d+)/] },
  { summary: /^\[=+\] \d+ tests? from \d+ test (?:suites?|cases?) ran[^\n]{0,50}/gm, ran: [/(\d+) tests?/] },
  { summary: /^\d+% tests passed, \d+ tests? failed out of \d+/gm, ran: [/out of (\d+)/] },
];

/**
 * Reads how many tests ran from a check's output. Null if no known runner reported it. `isWhole` is false if the beginning of
 * the output is missing.
 */
export function readTestCounts(output: string, isWhole: boolean): TestCounts | null {
  const text = terminalText(output);
  const found = FORMATS.filter(({ perTest }) => isWhole || perTest !== true).flatMap((format) =>
    [...text.matchAll(format.summary)].map((match) => ({ format, match })),
  );
  if (found.length === 0) return null;
  const assertions = found.flatMap(({ match: [summary] }) => {
    const [, one, other] = ASSERTIONS.exec(summary) ?? [];
    const digits = one ?? other;
    return digits === undefined ? [] : [Number(digits)];
  });
  return {
    tests: found.reduce((sum, { format, match: [summary] }) => sum + countIn(summary, format), 0),
    assertions: assertions.length === 0 ? null : assertions.reduce((sum, count) => sum + count, 0),
  };
}

function countIn(summary: string, { ran, skipped, perTest }: Format): number {
  if (perTest) return 1;
  const all = ran.reduce((sum, part) => sum + Number(part.exec(summary)?.[1] ?? 0), 0);
  return all - Number(skipped?.exec(summary)?.[1] ?? 0);
}

/** Describes what ran on the base commit and no longer runs with the change. Null if nothing is missing. */
export function describeMissingTests(before: TestCounts, after: TestCounts | null): string | null {
  if (after === null)
    return before.tests > 0 ? `${show(before.tests, "test")} before the change, and reports none now` : null;
  if (after.tests < before.tests) return `${show(before.tests, "test")} before the change, and ${after.tests} now`;
  if (before.assertions !== null && after.assertions !== null && after.assertions < before.assertions)
    return `${show(before.assertions, "assertion")} before the change, and ${after.assertions} now`;
  return null;
}

function show(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}
