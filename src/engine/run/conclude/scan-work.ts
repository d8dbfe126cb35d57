import type { Outcome } from "../../../core/outcomes/outcome.ts";
import { KEEPING_ROLES } from "../../../core/task/role.ts";
import type { CheckResult } from "../../../core/task/run.ts";
import { describeFindings } from "../../../policy/diff/describe-findings.ts";
import { toFindingsCheck } from "../../../policy/diff/findings-check.ts";
import type { SecretFinding } from "../../../ports/secret-scan.ts";
import { outcomeOf, type StepContext } from "../step-context.ts";
import type { CollectedWork } from "./collect-work.ts";

export interface ScannedWork {
  readonly checks: readonly CheckResult[];
  /** What the agent has to do about a secret. Null if there is none. */
  readonly rejection: Outcome | null;
}

const NOT_SCANNED: ScannedWork = { checks: [], rejection: null };

/** Larger files are only reported. */
const MAX_FILE_BYTES = 5_000_000;

/** Scans the files that a run left for secrets, if the pipeline has no checks step, which would do it. */
export async function scanWork(context: StepContext, collected: CollectedWork): Promise<ScannedWork> {
  const { ports, project, task, run, settings, pipeline } = context;
  const { work } = collected;
  // A repair that changes nothing leaves the files of the run before.
  const commit = collected.commit ?? work.headCommit;
  const hasFiles = commit !== work.baseCommit && run.role !== null && KEEPING_ROLES.includes(run.role);
  const hasChecks = Object.values(pipeline.states).some(({ step }) => step.kind === "checks");
  if (!hasFiles || hasChecks || !settings.scanSecrets) return NOT_SCANNED;
  const changes = await ports.workspaces.readChanges({
    project: project.name,
    task: task.id,
    from: work.baseCommit,
    to: commit,
    maxFileBytes: MAX_FILE_BYTES,
  });
  const findings = (await ports.secrets.scanner.scan(changes)).map(allowLargeFiles);
  const checks = [toFindingsCheck(run.id, "no-secrets", findings)];
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return { checks, rejection: null };
  const found = describeFindings(errors);
  const details = `The files contain secrets. Remove them:\n${found}`;
  return { checks, rejection: outcomeOf("policy_failed", `the files contain secrets:\n${found}`, { commit, details }) };
}

/** The result of a plan may be a large file, such as an archive, which nobody can accept otherwise. */
function allowLargeFiles(finding: SecretFinding): SecretFinding {
  return finding.rule === "not-scanned" ? { ...finding, severity: "warning" } : finding;
}
