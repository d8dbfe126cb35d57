import type { Outcome } from "../../../core/outcomes/outcome.ts";
import type { CheckResult, CheckStatus } from "../../../core/task/run.ts";
import type { CheckSettings } from "../../../core/settings/settings.ts";
import type { RunPaths } from "../../../ports/run-files.ts";
import type { CommandResult, ExitRecord, Job } from "../../../ports/supervisor.ts";
import { isSameOutput } from "../../../core/text/compare-output.ts";
import { describeCheckStatus } from "../../../core/task/describe-check.ts";
import { relatedCommand } from "../../../core/change/related-command.ts";
import { checkPolicy, type PolicyResult } from "./check-policy.ts";
import { prepareWork } from "../prepare/prepare-work.ts";
import { baselineJobOf, prepareJob } from "../run-jobs.ts";
import { openWorkspace, setupCommand, setupFailed, describeSetup, shellCommand } from "../prepare/setup-workspace.ts";
import { supervise } from "../supervise.ts";
import { outcomeOf, resultOf, StepEnd, type StepContext, type StepResult, type Work } from "../step-context.ts";

const TAIL_BYTES = 8_000;

/** Runs the project's checks on a fresh checkout of the task's commit, never in a tree that an agent has used. */
export async function runChecksStep(context: StepContext): Promise<StepResult> {
  const { ports, run, task } = context;
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
  const paths = await ports.runFiles.prepare({ run: run.id, task: task.id, role: null });
  const record = await runChecks(context, { name: run.id, commit: work.headCommit, paths, checks });
  ports.hooks.passCheckpoint("checks.ended");
  if (setupFailed(record)) throw new StepEnd("setup_failed", await describeSetup(context, record));
  const results = await Promise.all(checks.map((check) => toResult(context, check, record)));
  requireAllowedPrograms(results);
  const compared = await compareWithBaseline(context, { work, checks, results });
  return resultOf(context, toOutcome(context, compared, work), {
    work,
    checks: [...policy.checks, ...compared],
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

interface CheckRun {
  readonly name: string;
  readonly commit: string;
  readonly paths: RunPaths;
  readonly checks: readonly CheckSettings[];
}

async function runChecks(context: StepContext, { name, commit, paths, checks }: CheckRun): Promise<ExitRecord> {
  const { run, settings, ports } = context;
  const workspace = await openWorkspace(context, name, commit);
  const job: Job = {
    dir: paths.dir,
    run: run.id,
    sandbox: settings.sandbox.mode,
    commands: [
      ...setupCommand(context, workspace, paths),
      ...checks.map((check) =>
        shellCommand(context, workspace, paths, {
          name: commandName(check),
          command: check.command,
          timeoutMs: check.timeoutMs,
          logFile: logFile(check),
          ifFails: "continue",
          rerun: true,
        }),
      ),
    ],
    secrets: {},
    keys: {},
    redact: ports.secrets.known(),
    paused: false,
  };
  ports.hooks.passCheckpoint("checks.started");
  const result = await supervise(context, job);
  if (result.kind === "lost")
    throw new StepEnd("interrupted", "the supervisor of the checks died; its process tree was ended");
  if (result.record.error !== null) throw toStepEnd(result.record.error);
  const ended = result.record.commands.find(
    ({ endedBy }) => endedBy === "cancel" || endedBy === "kill" || endedBy === "lost",
  );
  if (ended !== undefined)
    throw new StepEnd(ended.endedBy === "lost" ? "interrupted" : "cancel", `the check "${ended.name}" was ended`);
  return result.record;
}

function toStepEnd({ kind, message }: NonNullable<ExitRecord["error"]>): StepEnd {
  return new StepEnd(kind === "internal" ? "interrupted" : kind, message);
}

/** The prefix keeps a check named `setup` apart from the set-up command. */
function commandName({ name }: Pick<CheckSettings, "name">): string {
  return `check:${name}`;
}

function logFile(check: CheckSettings): string {
  return `checks/${check.name}.log`;
}

async function toResult({ ports, run }: StepContext, check: CheckSettings, record: ExitRecord): Promise<CheckResult> {
  const ended = record.commands.find(({ name }) => name === commandName(check));
  // A missing result must not count as passed. The run is repeated.
  if (ended === undefined) throw new StepEnd("interrupted", `the check "${check.name}" did not run`);
  return {
    run: run.id,
    name: check.name,
    severity: check.severity,
    status: statusOf(ended),
    exitCode: ended.exit.code,
    durationMs: ended.durationMs,
    tail: ended.startError ?? (await ports.runFiles.readLogTail(run.id, logFile(check), TAIL_BYTES)),
  };
}

/** A check whose program the sandbox does not allow says nothing about the change. */
function requireAllowedPrograms(results: readonly CheckResult[]): void {
  for (const { name, exitCode, tail } of results) {
    const program = exitCode === 127 ? /^nightshift: "(.+)" is not available here/m.exec(tail)?.[1] : undefined;
    if (program !== undefined)
      throw new StepEnd(
        "sandbox_refused",
        `the check "${name}" needs ${program}, which is not available in the sandbox: add it to sandbox.commands`,
      );
  }
}

function statusOf({ endedBy, exit, flaky }: CommandResult): CheckStatus {
  if (flaky) return "flaky";
  if (endedBy === "timeout") return "timeout";
  return endedBy === "exit" && exit.code === 0 ? "passed" : "failed";
}

interface Comparison {
  readonly work: Work;
  readonly checks: readonly CheckSettings[];
  readonly results: readonly CheckResult[];
}

/**
 * A check that fails on the base commit with the same output is a red baseline and not blamed on the change. If the output
 * differs, the change is blamed.
 */
async function compareWithBaseline(
  context: StepContext,
  { work, checks, results }: Comparison,
): Promise<readonly CheckResult[]> {
  const failed = checks.filter(({ name }) => results.some((result) => result.name === name && hasFailed(result)));
  if (failed.length === 0 || work.baseCommit === work.headCommit) return results;
  const { ports, run, task } = context;
  const baseline = baselineJobOf(run.id);
  const paths = await ports.runFiles.prepare({ run: baseline, task: task.id, role: null });
  const checkRun = { name: `${run.id}.baseline`, commit: work.baseCommit, paths, checks: failed };
  const record = await runChecks(context, checkRun);
  return Promise.all(
    results.map(async (result): Promise<CheckResult> => {
      const onBase = record.commands.find(({ name }) => name === commandName(result));
      if (!hasFailed(result) || onBase === undefined || !hasFailed({ status: statusOf(onBase) })) return result;
      if (onBase.exit.code !== result.exitCode) return result;
      const tail = await ports.runFiles.readLogTail(baseline, `checks/${result.name}.log`, TAIL_BYTES);
      return isSameOutput(result.tail, tail) ? { ...result, status: "red_baseline" } : result;
    }),
  );
}

function hasFailed({ status }: Pick<CheckResult, "status">): boolean {
  return status === "failed" || status === "timeout";
}

const STATUS_WORDS: Partial<Record<CheckStatus, string>> = {
  red_baseline: "red baseline (it fails with the same output without the change)",
};

function toOutcome({ settings }: StepContext, results: readonly CheckResult[], work: Work): Outcome {
  const blamed = results.filter(
    (result) => hasFailed(result) && (result.severity === "error" || settings.failOnWarning),
  );
  const summary = results
    .map((each) => `${each.name}: ${STATUS_WORDS[each.status] ?? describeCheckStatus(each)}`)
    .join(", ");
  const outcomes = Object.fromEntries(results.map(({ name, status }) => [name, status]));
  if (blamed.length === 0) return outcomeOf("checks_passed", summary, { checks: outcomes, commit: work.headCommit });
  return outcomeOf("checks_failed", summary, { checks: outcomes, details: blamed.map(describe).join("\n\n") });
}

function describe({ name, status, exitCode, tail }: CheckResult): string {
  const reason = status === "timeout" ? "timed out" : `failed with exit code ${exitCode ?? "unknown"}`;
  return `The check "${name}" ${reason}. The end of its output:\n${tail}`;
}
