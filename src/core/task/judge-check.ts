import { isSameOutput } from "../text/compare-output.ts";
import type { CheckResult, CheckStatus } from "./run.ts";

/** How many tests a runner reported at the end of a check. Skipped tests do not count. */
export interface TestCounts {
  readonly tests: number;
  /** Null if the runner does not report it. */
  readonly assertions: number | null;
}

/** The result of one check on a base commit. */
export interface BaselineResult extends Pick<CheckResult, "name" | "exitCode" | "durationMs" | "tail"> {
  readonly status: RawCheckStatus;
  /** Missing in results of earlier versions. */
  readonly counts?: TestCounts | null;
  readonly measuredAt: number;
}

/** The result of a check on one commit, before it is compared with the base commit. */
export type RawCheckStatus = Extract<CheckStatus, "passed" | "flaky" | "failed" | "could_not_run">;

type Ended = Pick<CheckResult, "status" | "exitCode" | "tail">;

/**
 * Judges a check of a change by what the same check does on the base commit. What also happens without the change says
 * nothing about it; everything else is blamed on the change.
 */
export function judgeCheck(onChange: Ended, onBase: Ended): CheckStatus {
  const { status } = onChange;
  if (status === "could_not_run") return onBase.status === "could_not_run" ? "could_not_run" : "failed";
  if (status !== "failed" || onBase.status !== "failed" || onBase.exitCode !== onChange.exitCode) return status;
  return isSameOutput(onChange.tail, onBase.tail) ? "inconclusive" : "failed";
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
