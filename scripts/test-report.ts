import { existsSync, readFileSync } from "node:fs";

/** The part of vitest's JSON report that we use. */
export interface TestReport {
  readonly testResults: readonly TestFile[];
}

export interface TestFile {
  readonly name: string;
  readonly status: string;
  /** Set if the file could not be loaded. */
  readonly message?: string;
  readonly assertionResults: readonly TestResult[];
}

export interface TestResult {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages?: readonly string[];
}

/** A failed test, or a file that could not be loaded, with the first lines of the reason. */
export interface Failure {
  readonly file: string;
  readonly test: string;
  readonly why: string;
}

export function readReport(file: string): TestReport | null {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as TestReport) : null; // vitest's own format
}

export function failuresIn(report: TestReport): Failure[] {
  return report.testResults.flatMap((file) => {
    const failed = file.assertionResults.filter((test) => test.status === "failed");
    if (failed.length > 0) {
      return failed.map((test) => ({
        file: file.name,
        test: test.fullName,
        why: firstLines(test.failureMessages?.[0] ?? ""),
      }));
    }
    // A file that could not be loaded has no failed test, but is a failure.
    return file.status === "failed" ? [{ file: file.name, test: "", why: firstLines(file.message ?? "") }] : [];
  });
}

export function passedIn(report: TestReport): number {
  return report.testResults.flatMap((file) => file.assertionResults).filter((test) => test.status === "passed").length;
}

function firstLines(text: string): string {
  return text.split("\n").slice(0, 12).join("\n");
}
