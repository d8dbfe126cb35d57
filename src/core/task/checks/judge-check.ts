import { isSameOutput } from "../../text/compare-output.ts";
import type { CheckResult, CheckStatus } from "../run.ts";

/** How many tests a runner reported at the end of a check. Skipped tests do not count. */
export interface TestCounts {
  readonly tests: number;
  /** Null if the runner does not report it. */
  readonly assertions: number | null;
}

/** What a failed check reported, if its output has a known format. */
export interface ReportedFailures {
  /** Names of the failed tests. */
  readonly tests: readonly string[];
  /** A compiler or loader reported errors, so tests may be missing. */
  readonly hasErrors: boolean;
}

/** The result of one check on a base commit. */
export interface BaselineResult extends Pick<CheckResult, "name" | "exitCode" | "durationMs" | "tail"> {
  readonly status: RawCheckStatus;
  /** Missing in results of earlier versions. */
  readonly counts?: TestCounts | null;
  /** Missing in results of earlier versions, null if the check did not fail. */
  readonly failures?: ReportedFailures | null;
  readonly measuredAt: number;
}

/** The result of a check on one commit, before it is compared with the base commit. */
export type RawCheckStatus = Extract<CheckStatus, "passed" | "flaky" | "failed" | "could_not_run">;

type Ended = Pick<CheckResult, "status" | "exitCode" | "tail"> & Pick<BaselineResult, "counts" | "failures">;

/**
 * Judges a check of a change by what the same check does on the base commit. What also happens without the change says
 * nothing about it; everything else is blamed on the change.
 */
export function judgeCheck(onChange: Ended, onBase: Ended): CheckStatus {
  const { status } = onChange;
  if (status === "could_not_run") return onBase.status === "could_not_run" ? "could_not_run" : "failed";
  if (status !== "failed" || onBase.status !== "failed" || onBase.exitCode !== onChange.exitCode) return status;
  return hasSameFailures(onChange, onBase) || isSameOutput(onChange.tail, onBase.tail) ? "inconclusive" : "failed";
}

/**
 * Whether every test that fails on the change fails on the base as well, so that the change may add tests to a project whose
 * tests are red. Errors of a compiler and fewer tests than before can hide failures, so then the whole output is compared.
 */
function hasSameFailures(onChange: Ended, onBase: Ended): boolean {
  const [after, before] = [onChange.failures, onBase.failures];
  if (after == null || before == null || after.hasErrors || after.tests.length === 0) return false;
  if (onChange.counts == null || onBase.counts == null || onChange.counts.tests < onBase.counts.tests) return false;
  return after.tests.every((name) => before.tests.includes(name));
}

/** Whether a failed check ran no test, because a compiler or a loader reported errors. */
export function failsBecauseOfErrors({ failures }: Pick<BaselineResult, "failures">): boolean {
  return failures != null && failures.hasErrors && failures.tests.length === 0;
}

/** Whether the check must be compared with the base commit. */
export function needsBaseline({ status }: Pick<CheckResult, "status">): boolean {
  return status === "failed" || status === "could_not_run";
}

/** Reads a stored status. Earlier versions stored other names. */
export function readCheckStatus(stored: string): CheckStatus {
  switch (stored) {
    case "red_baseline":
      return "inconclusive";
    case "timeout":
      return "failed";
    default:
      // Only these versions wrote the column.
      return stored as CheckStatus;
  }
}
