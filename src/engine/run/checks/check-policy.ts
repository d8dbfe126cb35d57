import { checkDiff } from "../../../policy/diff/check-diff.ts";
import { describeFindings } from "../../../policy/diff/describe-findings.ts";
import type { Finding } from "../../../policy/diff/finding.ts";
import { diffRules } from "../../../policy/diff/diff-rules.ts";
import type { FileChange } from "../../../core/change/file-change.ts";
import { lastPayload } from "../../../core/outcomes/stored-outcome.ts";
import type { CheckResult } from "../../../core/task/run.ts";
import type { InsistableFinding } from "../../../core/pipeline/pipeline-policy.ts";
import type { SecretFinding } from "../../../ports/secret-scan.ts";
import { findKnownChange, scopeRules } from "../../nightly/night-policy.ts";
import type { StepContext, Work } from "../step-context.ts";

/** What the engine itself has to say of a change, before any command of the project runs on it. */
export interface PolicyResult {
  readonly checks: readonly CheckResult[];
  /** What refuses the change, for whoever repairs it; null when nothing does. */
  readonly rejection: string | null;
  /** What the agent was told of, left as it is, and only a person can let through. */
  readonly needsDecision: string | null;
  /** What it stands on, so that the next judgement knows what was said. */
  readonly reportedFindings: readonly string[];
  /** What the change leaves, by path. */
  readonly files: readonly string[];
}

/** Whoever insists on more than this is refused. */
const MAX_REPORTED_FINDINGS = 200;

const NOTHING: PolicyResult = { checks: [], rejection: null, needsDecision: null, reportedFindings: [], files: [] };

export async function checkPolicy(context: StepContext, work: Work): Promise<PolicyResult> {
  if (work.baseCommit === work.headCommit) return NOTHING;
  const { ports, project, task, run, settings, pipeline } = context;
  const { change } = pipeline.policy;
  const rules = { ...diffRules(change, settings), ...(await scopeRules(context, work)) };
  const changes = await ports.workspaces.readChanges({
    project: project.name,
    task: task.id,
    from: work.baseCommit,
    to: work.headCommit,
    maxFileBytes: rules.maxFileBytes,
  });
  const [secrets, said, known] = await Promise.all([
    scan(context, changes),
    loadPreviousFindings(context, work),
    findKnownChange(context, changes),
  ]);
  const findings = [...checkDiff(changes, rules), ...known].map((finding) =>
    said.allowed.includes(findingId(finding)) ? { ...finding, severity: "warning" as const } : finding,
  );
  const results = [
    toResult(run.id, "diff-policy", findings),
    ...(settings.scanSecrets ? [toResult(run.id, "no-secrets", secrets)] : []),
  ];
  const errors = [...findings, ...secrets].filter(({ severity }) => severity === "error");
  const told = errors.slice(0, MAX_REPORTED_FINDINGS).map(findingId);
  const files = changes.flatMap(({ path, after }) => (after === null ? [] : [path]));
  if (errors.length === 0) return { ...NOTHING, checks: results, files };
  const insistable = change.insist.map((name) => INSISTABLE_RULES[name]);
  if (errors.every((each) => insistable.includes(each.rule) && said.told.includes(findingId(each))))
    return { checks: results, rejection: null, needsDecision: describeFindings(errors), reportedFindings: told, files };
  return { checks: results, rejection: describeFindings(errors), needsDecision: null, reportedFindings: told, files };
}

type AnyFinding = Finding | SecretFinding;

async function scan(
  { ports, settings }: StepContext,
  changes: readonly FileChange[],
): Promise<readonly SecretFinding[]> {
  return settings.scanSecrets ? ports.secrets.scanner.scan(changes) : [];
}

interface PreviousFindings {
  /** What the agent was told of the last time. */
  readonly told: readonly string[];
  /** What a person was asked about this very commit, and came back to it. */
  readonly allowed: readonly string[];
}

async function loadPreviousFindings({ ports, task, run }: StepContext, work: Work): Promise<PreviousFindings> {
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: 1000 });
  const before = runs.filter(({ id }) => id !== run.id);
  const refused = lastPayload(before, "policy_failed");
  const asked = lastPayload(
    before.filter(({ step }) => step === "checks"),
    "refused",
  );
  const isThisOne = asked?.commit === work.headCommit && run.trigger?.kind === "retry";
  return { told: refused?.told ?? [], allowed: isThisOne ? (asked.told ?? []) : [] };
}

/** Removing a test can be right, so a policy may let an agent repeat it after one warning. All other rules are final. */
const INSISTABLE_RULES: Readonly<Record<InsistableFinding, AnyFinding["rule"]>> = { weakened_tests: "weakened_test" };

function findingId({ rule, path, message }: AnyFinding): string {
  return `${rule} ${path} ${message}`;
}

function toResult(run: string, name: string, findings: readonly AnyFinding[]): CheckResult {
  const isRefused = findings.some(({ severity }) => severity === "error");
  const shown = findings.filter(({ severity }) => severity !== "note");
  return {
    run,
    name,
    severity: isRefused ? "error" : "warning",
    status: shown.length === 0 ? "passed" : "failed",
    exitCode: null,
    durationMs: 0,
    tail: describeFindings(findings),
  };
}
