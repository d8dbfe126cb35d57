import { checkDiff } from "../../../policy/diff/check-diff.ts";
import { describeFindings } from "../../../policy/diff/describe-findings.ts";
import { toFindingsCheck } from "../../../policy/diff/findings-check.ts";
import type { Finding } from "../../../policy/diff/finding.ts";
import { changedTests, touchesTests, writtenTests } from "../../../policy/weakened-tests/changed-tests.ts";
import type { FileChange } from "../../../core/change/file-change.ts";
import { findAllowance } from "../../../core/pipeline/decide-checks.ts";
import { lastPayload, storedPayload } from "../../../core/outcomes/stored-outcome.ts";
import type { CheckResult } from "../../../core/task/run.ts";
import type { InsistableFinding } from "../../../core/pipeline/pipeline-policy.ts";
import type { SecretFinding } from "../../../ports/secret-scan.ts";
import { findKnownChange, scopeRules } from "../../nightly/night-policy.ts";
import { loadDiffRules } from "../load-diff-rules.ts";
import type { StepContext, Work } from "../step-context.ts";

/** Result of the built-in review of a change (diff policy and secret scan). It runs before the project's own checks. */
export interface PolicyResult {
  readonly checks: readonly CheckResult[];
  /** Errors the agent must fix. Null if there are none. */
  readonly rejection: string | null;
  /** Findings that the agent kept after a warning. A person decides. */
  readonly needsDecision: string | null;
  /** Ids of the reported findings. The next review uses them to detect that the agent ignored a warning. */
  readonly reportedFindings: readonly string[];
  /** Paths of the changed files that still exist. */
  readonly files: readonly string[];
  /** Paths of the changed files that define what is checked. */
  readonly gates: readonly string[];
  /** Paths of existing tests that were altered or deleted. */
  readonly tests: readonly string[];
  /** Paths of added or altered tests that exist after the change. */
  readonly writtenTests: readonly string[];
  /** Whether the change touches anything that decides which tests run. */
  readonly touchesTests: boolean;
  /** Whether a weakened test is known and allowed. */
  readonly hasWeakenedTests: boolean;
}

/** With more findings than this, the agent cannot insist. */
const MAX_REPORTED_FINDINGS = 200;

const NO_FINDINGS: PolicyResult = {
  checks: [],
  rejection: null,
  needsDecision: null,
  reportedFindings: [],
  files: [],
  gates: [],
  tests: [],
  writtenTests: [],
  touchesTests: false,
  hasWeakenedTests: false,
};

export async function checkPolicy(context: StepContext, work: Work): Promise<PolicyResult> {
  if (work.baseCommit === work.headCommit) return NO_FINDINGS;
  const { ports, project, task, run, settings, pipeline } = context;
  const { change } = pipeline.policy;
  const diffRules = await loadDiffRules(ports, {
    project,
    settings,
    pipeline,
    base: work.baseCommit,
    task: task.id,
  });
  const rules = { ...diffRules, ...(await scopeRules(context, work)) };
  const changes = await ports.workspaces.readChanges({
    project: project.name,
    task: task.id,
    from: work.baseCommit,
    to: work.headCommit,
    maxFileBytes: rules.maxFileBytes,
  });
  const [secrets, previous, known] = await Promise.all([
    scan(context, changes),
    loadPreviousFindings(context, work),
    findKnownChange(context, changes),
  ]);
  const findings = [...checkDiff(changes, rules), ...known].map((finding) =>
    previous.allowed.includes(findingId(finding)) ? { ...finding, severity: "warning" as const } : finding,
  );
  const results = [
    toFindingsCheck(run.id, "diff-policy", findings),
    ...(settings.scanSecrets ? [toFindingsCheck(run.id, "no-secrets", secrets)] : []),
  ];
  const errors = [...findings, ...secrets].filter(({ severity }) => severity === "error");
  const reportedFindings = errors.slice(0, MAX_REPORTED_FINDINGS).map(findingId);
  const files = changes.flatMap(({ path, after }) => (after === null ? [] : [path]));
  const gates = [...new Set(findings.filter(({ rule }) => rule === "gates_changed").map(({ path }) => path))];
  const result = {
    ...NO_FINDINGS,
    checks: results,
    reportedFindings,
    files,
    gates,
    tests: changedTests(changes),
    writtenTests: writtenTests(changes),
    touchesTests: touchesTests(changes) || gates.length > 0,
    hasWeakenedTests: findings.some(({ rule }) => rule === "weakened_test"),
  };
  if (errors.length === 0) return result;
  const insistable = change.insist.map((name) => INSISTABLE_RULES[name]);
  if (errors.every((each) => insistable.includes(each.rule) && previous.reported.includes(findingId(each))))
    return { ...result, needsDecision: describeFindings(errors) };
  return { ...result, rejection: describeFindings(errors) };
}

type AnyFinding = Finding | SecretFinding;

async function scan(
  { ports, settings }: StepContext,
  changes: readonly FileChange[],
): Promise<readonly SecretFinding[]> {
  return settings.scanSecrets ? ports.secrets.scanner.scan(changes) : [];
}

interface PreviousFindings {
  /** Reported to the agent by the last review. */
  readonly reported: readonly string[];
  /** A person was asked about them for this commit, and chose to continue. */
  readonly allowed: readonly string[];
}

async function loadPreviousFindings({ ports, task, run }: StepContext, work: Work): Promise<PreviousFindings> {
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: 1000 });
  const before = runs.filter(({ id }) => id !== run.id);
  const rejected = lastPayload(before, "policy_failed");
  const asking = before.findLast(({ step, outcome }) => step === "checks" && outcome === "refused");
  const refused = storedPayload(asking, "refused");
  const allowedAt = findAllowance(task, work.headCommit)?.at ?? null;
  const isAllowed = refused?.commit === work.headCommit && allowedAt !== null && allowedAt >= (asking?.finishedAt ?? 0);
  return { reported: rejected?.reported_findings ?? [], allowed: isAllowed ? (refused.reported_findings ?? []) : [] };
}

/** Removing a test can be right, so a policy may let an agent repeat it after one warning. All other rules are final. */
const INSISTABLE_RULES: Readonly<Record<InsistableFinding, AnyFinding["rule"]>> = { weakened_tests: "weakened_test" };

function findingId({ rule, path, message }: AnyFinding): string {
  return `${rule} ${path} ${message}`;
}
