import type { CheckResult } from "../../core/task/run.ts";
import { describeFindings, type Shown } from "./describe-findings.ts";

/** The result of a built-in check. Notes are only for people who read the list. */
export function toFindingsCheck(run: string, name: string, findings: readonly Shown[]): CheckResult {
  const hasErrors = findings.some(({ severity }) => severity === "error");
  const shown = findings.filter(({ severity }) => severity !== "note");
  return {
    run,
    name,
    severity: hasErrors ? "error" : "warning",
    status: shown.length === 0 ? "passed" : "failed",
    exitCode: null,
    durationMs: 0,
    tail: describeFindings(findings),
  };
}
