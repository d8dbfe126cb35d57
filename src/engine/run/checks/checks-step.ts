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
import { baselineOf, prepareJob } from "../run-jobs.ts";
import { openWorkspace, setupCommand, setupFailed, setupProblem, shellCommand } from "../prepare/setup-workspace.ts";
import { supervise } from "../supervise.ts";
import { outcomeOf, resultOf, StepEnd, type StepContext, type StepResult, type Work } from "../step-context.ts";

const TAIL_BYTES = 8_000;

/** The project's commands on a fresh checkout of the task's commit: never in a tree where an agent was. */
export async function runChecksStep(context: StepContext): Promise<StepResult> {
  const { ports, run, task } = context;
  await prepareJob(ports, run.id);
  const work = await prepareWork(context);
  const judged = await checkPolicy(context, work);
  if (judged.rejection !== null || judged.needsDecision !== null) return notWanted(context, work, judged);
  const checks = await checksFor(context, judged.files);
  if (checks.length === 0)
    return resultOf(context, outcomeOf("checks_passed", "the project has no checks", { commit: work.headCommit }), {
      work,
      checks: judged.checks,
    });
  const paths = await ports.runFiles.prepare({ run: run.id, task: task.id, role: null });
  const record = await runIn(context, { name: run.id, commit: work.headCommit, paths, checks });
  ports.hooks.passCheckpoint("checks.ended");
  if (setupFailed(record)) throw new StepEnd("setup_failed", await setupProblem(context, record));
  const results = await Promise.all(checks.map((check) => toResult(context, check, record)));
  refuseIfWalledOff(results);
  const compared = await withBaseline(context, { work, checks, results });
  return resultOf(context, verdict(context, compared, work), {
    work,
    checks: [...judged.checks, ...compared],
    pausedMs: record.pausedMs,
    sandbox: context.settings.sandbox.mode,
    // A record of an earlier version has none.
    denials: record.denials ?? [],
    endedBy: "exit",
  });
}

/** Nothing of the project runs on a change that is not wanted whatever its checks say, or that a person must see first. */
function notWanted(
  context: StepContext,
  work: Work,
  { checks, rejection: refusal, needsDecision: question, reportedFindings: told }: PolicyResult,
): StepResult {
  const commit = work.headCommit;
  if (question !== null) {
    const summary = `the agent was told of this and leaves it so; choose "${context.state.name}" to let it through:\n${question}`;
    return resultOf(context, outcomeOf("refused", summary, { told, commit }), { work, checks });
  }
  const details = `The change is refused by Nightshift's own checks:\n${refusal}`;
  const summary = `the change is refused:\n${refusal}`;
  return resultOf(context, outcomeOf("policy_failed", summary, { details, told, commit }), { work, checks });
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

async function runIn(context: StepContext, { name, commit, paths, checks }: CheckRun): Promise<ExitRecord> {
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
  if (result.record.error !== null) throw brokenJob(result.record.error);
  const ended = result.record.commands.find(
    ({ endedBy }) => endedBy === "cancel" || endedBy === "kill" || endedBy === "lost",
  );
  if (ended !== undefined)
    throw new StepEnd(ended.endedBy === "lost" ? "interrupted" : "cancel", `the check "${ended.name}" was ended`);
  return result.record;
}

function brokenJob({ kind, message }: NonNullable<ExitRecord["error"]>): StepEnd {
  return new StepEnd(kind === "internal" ? "interrupted" : kind, message);
}

/** A check may be called anything, also `setup`. */
function commandName({ name }: Pick<CheckSettings, "name">): string {
  return `check:${name}`;
}

function logFile(check: CheckSettings): string {
  return `checks/${check.name}.log`;
}

async function toResult({ ports, run }: StepContext, check: CheckSettings, record: ExitRecord): Promise<CheckResult> {
  const ended = record.commands.find(({ name }) => name === commandName(check));
  // Never taken for one that passed: the run is repeated.
  if (ended === undefined) throw new StepEnd("interrupted", `the check "${check.name}" did not come to run`);
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

/** A check that the sandbox keeps from running says nothing about the change, on whatever commit it fails. */
function refuseIfWalledOff(results: readonly CheckResult[]): void {
  for (const { name, exitCode, tail } of results) {
    const program = exitCode === 127 ? /^nightshift: "(.+)" is not available here/m.exec(tail)?.[1] : undefined;
    if (program !== undefined)
      throw new StepEnd(
        "sandbox_refused",
        `the check "${name}" needs ${program}, which is not among the programs of the sandbox: add it to sandbox.commands`,
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
 * A check that fails on the base commit too, and in the same words, is shown as such and not blamed on the change.
 * One that fails in other words is: the change had a hand in it.
 */
async function withBaseline(
  context: StepContext,
  { work, checks, results }: Comparison,
): Promise<readonly CheckResult[]> {
  const failed = checks.filter(({ name }) => results.some((result) => result.name === name && isRed(result)));
  if (failed.length === 0 || work.baseCommit === work.headCommit) return results;
  const { ports, run, task } = context;
  const baseline = baselineOf(run.id);
  const paths = await ports.runFiles.prepare({ run: baseline, task: task.id, role: null });
  const record = await runIn(context, { name: `${run.id}.baseline`, commit: work.baseCommit, paths, checks: failed });
  return Promise.all(
    results.map(async (result): Promise<CheckResult> => {
      const onBase = record.commands.find(({ name }) => name === commandName(result));
      if (!isRed(result) || onBase === undefined || !isRed({ status: statusOf(onBase) })) return result;
      if (onBase.exit.code !== result.exitCode) return result;
      const tail = await ports.runFiles.readLogTail(baseline, `checks/${result.name}.log`, TAIL_BYTES);
      return isSameOutput(result.tail, tail) ? { ...result, status: "red_baseline" } : result;
    }),
  );
}

function isRed({ status }: Pick<CheckResult, "status">): boolean {
  return status === "failed" || status === "timeout";
}

const WORDS: Partial<Record<CheckStatus, string>> = {
  red_baseline: "red baseline (it fails in the same words without the change)",
};

function verdict({ settings }: StepContext, results: readonly CheckResult[], work: Work): Outcome {
  const blamed = results.filter((result) => isRed(result) && (result.severity === "error" || settings.failOnWarning));
  const summary = results.map((each) => `${each.name}: ${WORDS[each.status] ?? describeCheckStatus(each)}`).join(", ");
  const outcomes = Object.fromEntries(results.map(({ name, status }) => [name, status]));
  if (blamed.length === 0) return outcomeOf("checks_passed", summary, { checks: outcomes, commit: work.headCommit });
  return outcomeOf("checks_failed", summary, { checks: outcomes, details: blamed.map(describe).join("\n\n") });
}

function describe({ name, status, exitCode, tail }: CheckResult): string {
  const how = status === "timeout" ? "ran out of time" : `failed with exit code ${exitCode ?? "unknown"}`;
  return `The check "${name}" ${how}. The end of its output:\n${tail}`;
}
