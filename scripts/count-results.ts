import { readFileSync } from "node:fs";
import path from "node:path";
import { type Failure, failuresIn, passedIn, readReport, type TestReport } from "./test-report.ts";

/** One command: `tests 0` in the file `commands`, and its report, if any, in `tests.json`. */
export interface CommandResult {
  readonly name: string;
  readonly code: number;
  readonly report: TestReport | null;
}

export interface Count {
  readonly passed: number;
  readonly failed: number;
}

/** Suffix of the second run of failed files. */
const AGAIN = "-again";

/** A command with a report counts by its tests, one without as one. If exit code and report disagree, it is a failure. */
export function countResults(commands: readonly CommandResult[]): Count {
  const counts = commands.map(countCommand);
  return {
    passed: counts.reduce((sum, count) => sum + count.passed, 0),
    failed: counts.reduce((sum, count) => sum + count.failed, 0),
  };
}

function countCommand({ code, report }: CommandResult): Count {
  if (report === null) return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  const failed = failuresIn(report).length;
  return { passed: passedIn(report), failed: failed === 0 && code !== 0 ? 1 : failed };
}

/** Merges the reports: second results replace the first ones of the same files. */
export function mergeAgain(commands: readonly CommandResult[]): readonly CommandResult[] {
  return commands
    .filter(({ name }) => !name.endsWith(AGAIN))
    .map((first) => {
      const again = commands.find(({ name }) => name === first.name + AGAIN);
      if (first.report === null || again === undefined || again.report === null) return first;
      const repeated = new Set(again.report.testResults.map(({ name }) => name));
      const kept = first.report.testResults.filter(({ name }) => !repeated.has(name));
      return { ...first, code: again.code, report: { testResults: [...kept, ...again.report.testResults] } };
    });
}

function readResults(folder: string): CommandResult[] {
  const lines = readFileSync(path.join(folder, "commands"), "utf8").trim().split("\n");
  return lines.map((line) => {
    const [name = "", code = ""] = line.split(" ");
    return { name, code: Number(code), report: readReport(path.join(folder, `${name}.json`)) };
  });
}

/** Lists the failures at the end, because people read the end of a long log. */
function sayWhatFailed(results: readonly CommandResult[], counted: readonly CommandResult[]): void {
  for (const { name, report } of results) {
    const word = name.endsWith(AGAIN) || counted.some((each) => each.report === report) ? "failed" : "failed at first";
    for (const failure of report === null ? [] : failuresIn(report)) console.log(sayFailure(word, failure));
  }
  for (const { name, code } of counted) if (code !== 0) console.log(`failed: ${name}`);
}

function sayFailure(word: string, { file, test, why }: Failure): string {
  return `${word}: ${path.relative(process.cwd(), file)} > ${test}\n${why.replaceAll(/^/gm, "    ")}`;
}

if (import.meta.main) {
  const results = readResults(process.argv[2] ?? ".");
  const counted = mergeAgain(results);
  const tested = counted.some(({ name, report }) => name === "tests" && report !== null && passedIn(report) > 0);
  sayWhatFailed(results, counted);
  if (!tested) console.log("failed: no test passed");

  const { passed, failed } = countResults(counted);
  const failures = tested || failed > 0 ? failed : 1;
  console.log(`${passed} passed, ${failures} failed`);
  process.exitCode = failures > 0 ? 1 : 0;
}
