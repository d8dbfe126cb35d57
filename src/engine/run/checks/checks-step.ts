import type { Outcome } from "../../../core/outcomes/outcome.ts";
import type { CheckResult } from "../../../core/task/run.ts";
import type { CheckSettings } from "../../../core/settings/settings.ts";
import { describeCheckStatus } from "../../../core/task/describe-check.ts";
import { judgeCheck, needsBaseline } from "../../../core/task/judge-check.ts";
import { relatedCommand } from "../../../core/change/related-command.ts";
import { checkPolicy, type PolicyResult } from "./check-policy.ts";
import { measureBaseline } from "./measure-baseline.ts";
import { runChecks, type CheckHost, type RawCheckResult } from "./run-checks.ts";
import { prepareWork } from "../prepare/prepare-work.ts";
import { baselineJobOf, prepareJob } from "../run-jobs.ts";
import { supervise } from "../supervise.ts";
import { outcomeOf, resultOf, StepEnd, type StepContext, type StepResult, type Work } from "../step-context.ts";

/** Runs the project's checks on a fresh checkout of the task's commit, never in a tree that an agent has used. */
export async function runChecksStep(context: StepContext): Promise<StepResult> {
  const { ports, run } = context;
  await prepareJob(ports, run.id);
  const work = await prepareWork(context);
  const policy = await checkPolicy(context, work);
  if (policy.rejection !== null || policy.needsDecision !== null) return rejectChange(context, work, policy);
  const checks = await checksFor(context, policy.files);
  if (checks.length === 0)
    return resultOf(context, outcomeOf("checks_passed", "the project has no checks", { commit: work.headCommit }), {
      work,
      checks: policy.checks,
    });
  const host: CheckHost = { ...context, perform: (job) => supervise(context, job) };
  const tree = { job: run.id, name: run.id, commit: work.headCommit, overlay: null };
  const { record, results, setupFailure } = await runChecks(host, tree, checks);
  ports.hooks.passCheckpoint("checks.ended");
  const judged = await judgeByBaseline(host, { work, checks, results });
  if (setupFailure !== null && judged.some(({ status }) => status === "failed"))
    throw new StepEnd("setup_failed", setupFailure);
  requireAllowedPrograms(judged);
  return resultOf(context, toOutcome(context, judged, work), {
    work,
    checks: [...policy.checks, ...judged],
    pausedMs: record.pausedMs,
    sandbox: context.settings.sandbox.mode,
    // Records of earlier versions have no denials.
    denials: record.denials ?? [],
    endedBy: "exit",
  });
}

/** The project's commands do not run on a change that was rejected or needs a person's decision. */
function rejectChange(
  context: StepContext,
  work: Work,
  { checks, rejection, needsDecision, reportedFindings }: PolicyResult,
): StepResult {
  const payload = { reported_findings: reportedFindings, commit: work.headCommit };
  if (needsDecision !== null) {
    const summary = `the agent kept this after a warning; choose "${context.state.name}" to allow it:\n${needsDecision}`;
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
function requireAllowedPrograms(results: readonly CheckResult[]): void {
  for (const { name, status, tail } of results) {
    const program =
      status === "could_not_run" ? /^nightshift: "(.+)" is not available here/m.exec(tail)?.[1] : undefined;
    if (program !== undefined)
      throw new StepEnd(
        "sandbox_refused",
        `the check "${name}" needs ${program}, which is not available in the sandbox: add it to sandbox.commands`,
      );
  }
}

interface Comparison {
  readonly work: Work;
  readonly checks: readonly CheckSettings[];
  readonly results: readonly RawCheckResult[];
}

/** Runs checks that did not pass on the base commit, too: what also happens there is not blamed on the change. */
async function judgeByBaseline(
  host: CheckHost,
  { work, checks, results }: Comparison,
): Promise<readonly CheckResult[]> {
  const { run } = host;
  const failed = checks.filter(({ name }) => results.some((result) => result.name === name && needsBaseline(result)));
  const tree = { job: baselineJobOf(run.id), name: `${run.id}.baseline` };
  const baseline =
    failed.length === 0 || work.baseCommit === work.headCommit
      ? []
      : await measureBaseline(host, { tree, commit: work.baseCommit, checks: failed });
  return results.map((result): CheckResult => {
    const onBase = baseline.find(({ name }) => name === result.name);
    return { ...result, run: run.id, status: onBase === undefined ? result.status : judgeCheck(result, onBase) };
  });
}

function toOutcome({ settings }: StepContext, results: readonly CheckResult[], work: Work): Outcome {
  const blamed = results.filter(
    ({ status, severity }) => status === "failed" && (severity === "error" || settings.failOnWarning),
  );
  const summary = results.map((each) => `${each.name}: ${describeCheckStatus(each)}`).join(", ");
  const outcomes = Object.fromEntries(results.map(({ name, status }) => [name, status]));
  if (blamed.length === 0) return outcomeOf("checks_passed", summary, { checks: outcomes, commit: work.headCommit });
  return outcomeOf("checks_failed", summary, { checks: outcomes, details: blamed.map(describe).join("\n\n") });
}

function describe({ name, exitCode, tail }: CheckResult): string {
  const reason = exitCode === null ? "failed" : `failed with exit code ${exitCode}`;
  return `The check "${name}" ${reason}. The end of its output:\n${tail}`;
}
