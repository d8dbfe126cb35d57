import type { Outcome } from "../../../core/outcomes/outcome.ts";
import type { CheckResult } from "../../../core/task/run.ts";
import type { CheckSettings } from "../../../core/settings/settings.ts";
import {
  describeResults,
  isDeciding,
  judgeChange,
  type CheckedChange,
} from "../../../core/task/checks/judge-change.ts";
import { currentCategory } from "../../../core/nightly/category.ts";
import { baseTestsMode } from "../../../policy/weakened-tests/changed-tests.ts";
import { relatedCommand } from "../../../core/change/related-command.ts";
import type { ExitRecord } from "../../../ports/supervisor.ts";
import { checkCommit } from "./check-commit.ts";
import { checkPolicy, type PolicyResult } from "./check-policy.ts";
import { judgeByBaseline, treeOf, withRun } from "./judge-results.ts";
import { decideProof, toProofCheck, type FixProof } from "../../../core/task/checks/proof.ts";
import { proveFix } from "./prove-fix.ts";
import { NO_PROOF, proveTests, type TestProof, type TestProofParams } from "./prove-tests.ts";
import { superviseChecks } from "./report-checks.ts";
import { runChecks, type CheckHost, type RawCheckResult } from "./run-checks.ts";
import { prepareWork } from "../prepare/prepare-work.ts";
import { baseGatesJobOf, gatesBaselineJobOf, prepareJob } from "../run-jobs.ts";
import { outcomeOf, resultOf, StepEnd, type StepContext, type StepResult, type Work } from "../step-context.ts";

/** Runs the project's checks on a fresh checkout of the task's commit, never in a tree that an agent has used. */
export async function runChecksStep(context: StepContext): Promise<StepResult> {
  const { ports, run, settings, task } = context;
  await prepareJob(ports, run.id);
  const work = await prepareWork(context);
  const policy = await checkPolicy(context, work);
  const isRejected = policy.rejection !== null || policy.needsDecision !== null;
  // Nobody repairs a reviewed change request here: its findings and its check results are both for the reviewer.
  if (isRejected && task.options.request === undefined) return rejectChange(context, work, policy);
  const checks = await checksFor(context, policy.files);
  const host: CheckHost = { ...context, perform: (job, toReport) => superviseChecks(context, job, toReport) };
  const modes = proofModes(context, policy);
  const checked = checks.length === 0 ? NOTHING_RAN : await checkChange(host, { work, checks, policy, modes });
  const { results, withBaseGates, proof } = checked;
  const { failOnWarning } = settings;
  const { gates } = policy;
  const change = { results, withBaseGates, gates, proofs: proof.results, doubts: proof.doubts, failOnWarning };
  const fix = await proveFixIfAsked(context, host, { work, checks, tests: policy.writtenTests, checked, change });
  const proofs = [...proof.results, ...(fix === null ? [] : [toProofCheck(run.id, fix.proof)])];
  const outcome = toOutcome({ ...change, proofs }, checked.setupFailure, work, fix);
  const records = [...checked.records, ...(fix?.records ?? [])];
  return resultOf(context, outcome, {
    work,
    checks: [...policy.checks, ...results, ...withBaseGates, ...proofs],
    ...(records.length > 0 && {
      pausedMs: records.reduce((total, { pausedMs }) => total + pausedMs, 0),
      sandbox: settings.sandbox.mode,
      // Records of earlier versions have no denials.
      denials: records.flatMap(({ denials }) => denials ?? []),
      endedBy: "exit",
    }),
  });
}

interface CheckParams {
  readonly work: Work;
  readonly checks: readonly CheckSettings[];
  readonly policy: PolicyResult;
  readonly modes: Pick<TestProofParams, "onFewer" | "onFailure">;
}

interface Checked extends Pick<CheckedChange, "results" | "withBaseGates"> {
  /** How set-up failed, on the base commit, too. Null if it succeeded. */
  readonly setupFailure: string | null;
  /** The results before they were compared with the base commit. */
  readonly raw: readonly RawCheckResult[];
  readonly proof: TestProof;
  readonly records: readonly ExitRecord[];
}

const NOTHING_RAN: Checked = {
  setupFailure: null,
  raw: [],
  results: [],
  withBaseGates: [],
  proof: NO_PROOF,
  records: [],
};

/** An agent may insist on removing tests where a person can decide. Elsewhere fewer tests are a failure. */
function proofModes({ task, settings, pipeline }: StepContext, policy: PolicyResult): CheckParams["modes"] {
  const canInsist = pipeline.policy.change.insist.includes("weakened_tests");
  const isAutomatic = task.options.autoApprove || settings.gates.merge === "auto";
  return {
    onFewer: policy.hasWeakenedTests ? "show" : canInsist ? "ask" : "fail",
    onFailure: baseTestsMode(currentCategory(task)?.name ?? null, isAutomatic),
  };
}

async function checkChange(host: CheckHost, { work, checks, policy, modes }: CheckParams): Promise<Checked> {
  const { files, gates, tests, touchesTests } = policy;
  const { raw, results, setupFailure, records } = await checkCommit(host, { work, checks, files });
  if (setupFailure !== null && results.some(({ status }) => status === "failed"))
    throw new StepEnd("setup_failed", setupFailure);
  const { failOnWarning } = host.settings;
  requireAllowedPrograms(results, failOnWarning);
  const alone = { setupFailure, raw, results, withBaseGates: [], proof: NO_PROOF, records };
  if (judgeChange({ ...alone, gates: [], proofs: [], doubts: [], failOnWarning }).kind === "failed") return alone;
  const proof = await proveTests(host, { work, checks, results: raw, tests, touchesTests, ...modes });
  const proven = { ...alone, proof, records: [...records, ...proof.records] };
  if (gates.length === 0) return proven;
  const again = await checkWithBaseGates(host, { work, checks, gates });
  return { ...proven, withBaseGates: again.results, records: [...proven.records, again.record] };
}

interface Fix {
  readonly proof: FixProof;
  readonly next: ReturnType<typeof decideProof>;
  readonly records: readonly ExitRecord[];
}

interface FixParams {
  readonly work: Work;
  readonly checks: readonly CheckSettings[];
  readonly tests: readonly string[];
  readonly checked: Checked;
  readonly change: CheckedChange;
}

/** Null if the pipeline or the project does not ask for a proof, or if the change has to be repaired anyway. */
async function proveFixIfAsked(context: StepContext, host: CheckHost, params: FixParams): Promise<Fix | null> {
  const { ports, task, settings, pipeline } = context;
  const { work, checks, tests, checked, change } = params;
  const gate = settings.gates.proof;
  if (!pipeline.policy.proof || gate === "off" || judgeChange(change).kind === "failed") return null;
  const { proof, records } = await proveFix(host, { work, checks, results: checked.raw, tests });
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: 1000 });
  const wasSentBack = runs.some(({ outcome }) => outcome === "not_proven");
  return { proof, records, next: decideProof(proof, gate, wasSentBack) };
}

/** Checks the change with the base commit's version of the files that define the checks, so that it cannot weaken them. */
async function checkWithBaseGates(
  host: CheckHost,
  { work, checks, gates }: Pick<CheckParams, "work" | "checks"> & Pick<PolicyResult, "gates">,
): Promise<{ readonly results: readonly CheckResult[]; readonly record: ExitRecord }> {
  const job = baseGatesJobOf(host.run.id);
  const overlay = { commit: work.baseCommit, files: gates };
  const tree = { job, name: treeOf(job), commit: work.headCommit, place: "change_with_base_files", overlay } as const;
  const { record, results: raw, setupFailure } = await runChecks(host, tree, checks);
  // The old files may not fit the new ones. Then they cannot judge the change, and a person decides.
  const results =
    setupFailure === null
      ? await judgeByBaseline(host, { work, checks, results: raw, job: gatesBaselineJobOf(host.run.id) })
      : raw.map((result) => withRun(host, result));
  return { results: results.map((each) => ({ ...each, name: `${each.name} (as on the base)` })), record };
}

/** The project's commands do not run on a change that was rejected or needs a person's decision. */
function rejectChange(
  context: StepContext,
  work: Work,
  { checks, rejection, needsDecision, reportedFindings }: PolicyResult,
): StepResult {
  const payload = { reported_findings: reportedFindings, commit: work.headCommit };
  if (needsDecision !== null) {
    const summary = `the agent kept this after a warning:\n${needsDecision}`;
    return resultOf(context, outcomeOf("refused", summary, payload), { work, checks });
  }
  const details = `The change is refused by Nightshift's own checks:\n${rejection}`;
  const summary = `the change is refused:\n${rejection}`;
  return resultOf(context, outcomeOf("policy_failed", summary, { ...payload, details }), { work, checks });
}

/** Only the checks meant for the role whose work is being checked. */
async function checksFor(context: StepContext, files: readonly string[]): Promise<readonly CheckSettings[]> {
  const { ports, task, settings, pipeline } = context;
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: 1000 });
  const role = runs.findLast(({ step, commit }) => step === "agent" && commit !== null)?.role ?? "implement";
  const checks = settings.checks.filter(({ roles }) => roles.includes(role));
  if (pipeline.policy.checks === "all") return checks;
  return checks.map((check) => ({ ...check, command: relatedCommand(check, files) }));
}

/** A check whose program the sandbox does not allow says nothing about the change. */
function requireAllowedPrograms(results: readonly CheckResult[], failOnWarning: boolean): void {
  for (const { name, status, tail } of results.filter((each) => isDeciding(each, failOnWarning))) {
    const program =
      status === "could_not_run" ? /^nightshift: "(.+)" is not available here/m.exec(tail)?.[1] : undefined;
    if (program !== undefined)
      throw new StepEnd(
        "sandbox_refused",
        `the check "${name}" needs ${program}, which is not available in the sandbox: add it to sandbox.commands`,
      );
  }
}

function toOutcome(
  change: CheckedChange,
  setupFailure: string | null,
  { headCommit: commit }: Work,
  fix: Fix | null,
): Outcome {
  const results = [...change.results, ...change.withBaseGates, ...change.proofs];
  const summary = describeResults(results);
  const checks = Object.fromEntries(results.map(({ name, status }) => [name, status]));
  const proof = fix === null ? {} : { proof: fix.proof.result };
  const reason = fix === null ? [] : [fix.proof.reason];
  if (fix?.next === "send_back")
    return outcomeOf("not_proven", summary, { checks, commit, ...proof, details: reason.join("") });
  const doubts = [...change.doubts, ...(fix?.next === "ask" ? reason : [])];
  const verdict = judgeChange({ ...change, doubts });
  switch (verdict.kind) {
    case "passed":
      return outcomeOf("checks_passed", summary, { checks, commit, ...proof });
    case "failed":
      return outcomeOf("checks_failed", summary, {
        checks,
        commit,
        details: verdict.failed.map(describe).join("\n\n"),
      });
    case "inconclusive":
      return outcomeOf("checks_inconclusive", `${explainSetup(setupFailure)}${verdict.reason}: ${summary}`, {
        checks,
        commit,
        ...(setupFailure !== null && { details: setupFailure }),
        gates: change.gates,
        ...proof,
      });
  }
}

function explainSetup(setupFailure: string | null): string {
  return setupFailure === null ? "" : "set-up fails on the base commit, too, so the change is not the cause; ";
}

function describe({ name, exitCode, tail }: CheckResult): string {
  const reason = exitCode === null ? "failed" : `failed with exit code ${exitCode}`;
  return `The check "${name}" ${reason}. The relevant part of its output:\n${tail}`;
}
