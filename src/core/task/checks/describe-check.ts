import { PROOF_CHECK } from "./proof.ts";
import type { CheckResult } from "../run.ts";

/** Checks of the engine itself. They run no command; their output is a list of findings. */
export const BUILT_IN_CHECKS: ReadonlySet<string> = new Set([
  "diff-policy",
  "no-secrets",
  "number of tests",
  "tests of the base",
  PROOF_CHECK,
]);

const PROOF_WORDS: Readonly<Partial<Record<CheckResult["status"], string>>> = {
  passed: "proven",
  failed: "not proven",
  skipped: "no test",
};

type CheckSummary = Pick<CheckResult, "name" | "status" | "severity">;

/** A warning from a built-in check does not block the change, so it is not called a failure. */
export function describeCheckStatus({ name, status, severity }: CheckSummary): string {
  if (name === PROOF_CHECK) return PROOF_WORDS[status] ?? status;
  if (BUILT_IN_CHECKS.has(name) && status === "failed" && severity === "warning") return "warned";
  return status.replaceAll("_", " ");
}

/** A check's status, and its output if it did not pass. Used in prompts and change requests. */
export function describeCheck(check: CheckSummary & Pick<CheckResult, "tail">): string {
  const word = describeCheckStatus(check);
  const isOnlyWarning = check.severity === "warning" && check.status !== "passed" && word !== "warned";
  const output = check.status === "passed" || check.tail.trim() === "" ? "" : `\n${check.tail}`;
  return `${check.name}: ${word}${isOnlyWarning ? " (a warning: it does not block the change)" : ""}${output}`;
}
