import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** One command that was run: `tests 0` in the file `commands`, its report, if it wrote one, in `tests.json`. */
export interface CommandResult {
  readonly name: string;
  readonly code: number;
  readonly report: TestReport | null;
}

/** The part of vitest's JSON report that counts. */
export interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
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
  // A file that could not be loaded has no failed test in it, and yet it failed.
  const broken = report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"),
  );
  const failed = report.numFailedTests + broken.length;
  return { passed: report.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}

function readResults(folder: string): CommandResult[] {
  const lines = readFileSync(path.join(folder, "commands"), "utf8").trim().split("\n");
  return lines.map((line) => {
    const [name = "", code = ""] = line.split(" ");
    const file = path.join(folder, `${name}.json`);
    const report = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as TestReport) : null; // vitest's own format
    return { name, code: Number(code), report };
  });
}

if (import.meta.main) {
  const results = readResults(process.argv[2] ?? ".");
  const tested = results.some(({ name, report }) => name === "tests" && report !== null && report.numPassedTests > 0);
  for (const { name, code } of results) if (code !== 0) console.log(`failed: ${name}`);
  if (!tested) console.log("failed: no test has passed");

  const { passed, failed } = countResults(results);
  const failures = tested || failed > 0 ? failed : 1;
  console.log(`${passed} passed, ${failures} failed`);
  process.exitCode = failures > 0 ? 1 : 0;
}
