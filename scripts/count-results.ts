import { readFileSync } from "node:fs";
import path from "node:path";
import { type Failure, failuresIn, passedIn, readReport, type TestReport } from "./test-report.ts";

/** One command that was run: `tests 0` in the file `commands`, its report, if it wrote one, in `tests.json`. */
export interface CommandResult {
  readonly name: string;
  readonly code: number;
  readonly report: TestReport | null;
}

export interface Count {
  readonly passed: number;
  readonly failed: number;
}

/** A command with a report counts by its tests, one without as one. Where the two disagree, something failed. */
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

function readResults(folder: string): CommandResult[] {
  const lines = readFileSync(path.join(folder, "commands"), "utf8").trim().split("\n");
  return lines.map((line) => {
    const [name = "", code = ""] = line.split(" ");
    return { name, code: Number(code), report: readReport(path.join(folder, `${name}.json`)) };
  });
}

/** The failures once more at the end: of a long log, the end is what people keep. */
function sayWhatFailed({ name, code, report }: CommandResult): void {
  for (const failure of report === null ? [] : failuresIn(report)) console.log(sayFailure(failure));
  if (code !== 0) console.log(`failed: ${name}`);
}

function sayFailure({ file, test, why }: Failure): string {
  return `✗ ${path.relative(process.cwd(), file)} > ${test}\n${why.replaceAll(/^/gm, "    ")}`;
}

if (import.meta.main) {
  const results = readResults(process.argv[2] ?? ".");
  const tested = results.some(({ name, report }) => name === "tests" && report !== null && passedIn(report) > 0);
  for (const result of results) sayWhatFailed(result);
  if (!tested) console.log("failed: no test has passed");

  const { passed, failed } = countResults(results);
  const failures = tested || failed > 0 ? failed : 1;
  console.log(`${passed} passed, ${failures} failed`);
  process.exitCode = failures > 0 ? 1 : 0;
}
