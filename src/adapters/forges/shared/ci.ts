import type { CiState } from "../../../ports/forge.ts";

/** Result of one check. `waiting` includes cancelled checks and checks that need manual action. */
export type Verdict = "passed" | "failed" | "waiting" | "skipped";

/** Enough to understand what is wrong. */
export const MAX_CI_FAILURES = 10;

/** A single failure fails CI. Skipped checks count as not run. */
export function combine(verdicts: readonly Verdict[]): CiState {
  if (verdicts.includes("failed")) return "failed";
  if (verdicts.includes("waiting")) return "running";
  return verdicts.includes("passed") ? "passed" : "none";
}

export function checkRunVerdict({ status, conclusion }: { status: string; conclusion: string | null }): Verdict {
  if (status !== "completed") return "waiting";
  if (conclusion === "success" || conclusion === "neutral") return "passed";
  if (conclusion === "skipped") return "skipped";
  return conclusion === "failure" || conclusion === "timed_out" || conclusion === "startup_failure"
    ? "failed"
    : "waiting";
}

export function commitStatusVerdict(state: string): Verdict {
  if (state === "success") return "passed";
  return state === "failure" || state === "error" ? "failed" : "waiting";
}

export function pipelineVerdict(status: string): Verdict {
  if (status === "success") return "passed";
  if (status === "skipped") return "skipped";
  return status === "failed" ? "failed" : "waiting";
}
