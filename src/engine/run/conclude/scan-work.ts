import type { Outcome } from "../../../core/outcomes/outcome.ts";
import { KEEPING_ROLES } from "../../../core/task/role.ts";
import type { CheckResult } from "../../../core/task/run.ts";
import { describeFindings } from "../../../policy/diff/describe-findings.ts";
import { toFindingsCheck } from "../../../policy/diff/findings-check.ts";
import type { SecretFinding } from "../../../ports/secret-scan.ts";
import { outcomeOf, type StepContext } from "../step-context.ts";
import type { CollectedWork } from "./collect-work.ts";
import { scanDirectories } from "./scan-directories.ts";

export interface ScannedWork {
  readonly checks: readonly CheckResult[];
  /** What the agent has to do about a secret. Null if there is none. */
  readonly rejection: Outcome | null;
}

const NOT_SCANNED: ScannedWork = { checks: [], rejection: null };

/** Larger files are only reported. */
const MAX_FILE_BYTES = 5_000_000;

/**
 * Scans the files that a run left for secrets. Those of a workspace are left to the checks step, if the pipeline has one.
 * `collected` is null for a task that works in place, `written` are directories outside of a workspace.
 */
export async function scanWork(
  context: StepContext,
  collected: CollectedWork | null,
  written: readonly string[],
): Promise<ScannedWork> {
  if (!context.settings.scanSecrets) return NOT_SCANNED;
  const commit = collected === null ? null : findScannedCommit(context, collected);
  if (commit === null && written.length === 0) return NOT_SCANNED;
  const scanned = [
    ...(commit === null || collected === null ? [] : await scanCommit(context, collected.work.baseCommit, commit)),
    ...(await scanDirectories(context, written)),
  ];
  const findings = scanned.map(allowLargeFiles);
  const checks = [toFindingsCheck(context.run.id, "no-secrets", findings)];
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return { checks, rejection: null };
  const found = describeFindings(errors);
  const details = `The files contain secrets. Remove them:\n${found}`;
  const payload = { ...(commit !== null && { commit }), details };
  return { checks, rejection: outcomeOf("policy_failed", `the files contain secrets:\n${found}`, payload) };
}

/** A repair that changes nothing leaves the files of the run before. Null if there is nothing to scan. */
function findScannedCommit({ run, pipeline }: StepContext, { commit: own, work }: CollectedWork): string | null {
  const commit = own ?? work.headCommit;
  const hasFiles = commit !== work.baseCommit && run.role !== null && KEEPING_ROLES.includes(run.role);
  const hasChecks = Object.values(pipeline.states).some(({ step }) => step.kind === "checks");
  return hasFiles && !hasChecks ? commit : null;
}

async function scanCommit(
  { ports, project, task }: StepContext,
  from: string,
  to: string,
): Promise<readonly SecretFinding[]> {
  const params = { project: project.name, task: task.id, from, to, maxFileBytes: MAX_FILE_BYTES };
  return ports.secrets.scanner.scan(await ports.workspaces.readChanges(params));
}

/** The result of a plan may be a large file, such as an archive, which nobody can accept otherwise. */
function allowLargeFiles(finding: SecretFinding): SecretFinding {
  return finding.rule === "not-scanned" ? { ...finding, severity: "warning" } : finding;
}
