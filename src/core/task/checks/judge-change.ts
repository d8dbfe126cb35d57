import { describeCheckStatus } from "./describe-check.ts";
import type { CheckResult } from "../run.ts";

/** The results of a change's checks. */
export interface CheckedChange {
  readonly results: readonly CheckResult[];
  /** The same checks as the base commit defines them. Empty if the change does not alter them. */
  readonly withBaseGates: readonly CheckResult[];
  /** Files of the change that define what is checked. */
  readonly gates: readonly string[];
  /** Whether the change kept the tests. Warnings of these are only shown. */
  readonly proofs: readonly CheckResult[];
  /** Why a person has to decide about the proofs. */
  readonly doubts: readonly string[];
  /** Checks of severity warning also reject the change. */
  readonly failOnWarning: boolean;
}

/** `failed` lists what is blamed on the change; `reason` says why nothing vouches for it. */
export type Verdict =
  | { readonly kind: "passed" }
  | { readonly kind: "failed"; readonly failed: readonly CheckResult[] }
  | { readonly kind: "inconclusive"; readonly reason: string };

export const NO_CHECKS = "no checks configured";
export const ONLY_WARNINGS = "no check with severity error is configured";

/** Decides whether the checks vouch for a change. What cannot be judged is never a pass. */
export function judgeChange({ results, withBaseGates, gates, proofs, doubts, failOnWarning }: CheckedChange): Verdict {
  const failed = [
    ...[...results, ...withBaseGates].filter((each) => isFailure(each, failOnWarning)),
    ...proofs.filter((each) => isFailure(each, false)),
  ];
  if (failed.length > 0) return { kind: "failed", failed };
  const reasons = [
    ...(hasRealPass(results, failOnWarning) ? [] : ["no check gave a result"]),
    ...(gates.length === 0 ? [] : [`the change alters what is checked (${gates.join(", ")})`]),
    ...doubts,
  ];
  return reasons.length === 0 ? { kind: "passed" } : { kind: "inconclusive", reason: reasons.join("; ") };
}

function isFailure(result: CheckResult, failOnWarning: boolean): boolean {
  return result.status === "failed" && isDeciding(result, failOnWarning);
}

/** Whether a check can reject a change. The others are only shown. */
export function isDeciding({ severity }: Pick<CheckResult, "severity">, failOnWarning: boolean): boolean {
  return severity === "error" || failOnWarning;
}

/** True if there is nothing that could have passed: a project may have only warnings, or no checks at all. */
function hasRealPass(results: readonly CheckResult[], failOnWarning: boolean): boolean {
  const deciding = results.filter((each) => isDeciding(each, failOnWarning));
  return deciding.length === 0 || deciding.some(({ status }) => status === "passed" || status === "flaky");
}

/** One line, such as `build: passed, test: could not run`. */
export function describeResults(results: readonly CheckResult[]): string {
  if (results.length === 0) return NO_CHECKS;
  return results.map((each) => `${each.name}: ${describeCheckStatus(each)}`).join(", ");
}
