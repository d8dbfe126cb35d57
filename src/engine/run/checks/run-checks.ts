import type { CheckResult } from "../../../core/task/run.ts";
import type { CheckPlace } from "../../../core/task/running-check.ts";
import { readTestCounts } from "../../../policy/weakened-tests/test-counts.ts";
import { excerptOutput } from "../../../core/check-output/excerpt-output.ts";
import { failedTests, findFailures } from "../../../core/check-output/find-failures.ts";
import type { RawCheckStatus, ReportedFailures, TestCounts } from "../../../core/task/checks/judge-check.ts";
import type { CheckSettings } from "../../../core/settings/settings.ts";
import type { LogRange } from "../../../ports/run-files.ts";
import type { CommandProgress, CommandResult, ExitRecord, Job, JobResult } from "../../../ports/supervisor.ts";
import type { TreeOverlay } from "../../../ports/workspace.ts";
import { describeSetup } from "../prepare/explain-setup.ts";
import { openWorkspace, projectJob, setupCommand, setupFailed, shellCommand } from "../prepare/setup-workspace.ts";
import { reuseSetup } from "../prepare/reuse-setup.ts";
import { wasStarted } from "../run-jobs.ts";
import { StepEnd, type CommandContext } from "../step-context.ts";
import type { CheckReport, ToReport } from "./report-checks.ts";

/** Size of what is kept of an output. */
const TAIL_LENGTH = 8_000;
/** Size of what is read of an output: enough for the summary of a run, and for a long list of tests. */
const READ_BYTES = 1_000_000;
const REPEATED_TAIL_LENGTH = 1_000;

/** Where checks run: for a run of a task, or outside of any task to measure a base commit. */
export interface CheckHost extends CommandContext {
  /** Starts a job and waits for its end. Outside of a task, nothing is reported. */
  readonly perform: (job: Job, toReport: ToReport) => Promise<JobResult>;
}

/** The fresh checkout that checks run in. */
export interface CheckTree {
  /** The job's id. Its directory holds the logs. */
  readonly job: string;
  /** Name of the workspace. */
  readonly name: string;
  readonly commit: string;
  readonly place: CheckPlace;
  /** Files that are taken from another commit, for example to check a change with the base commit's test scripts. */
  readonly overlay: TreeOverlay | null;
}

/** The result of a check on one tree, before it is compared with the base commit. */
export type RawCheckResult = Omit<CheckResult, "run" | "status"> & {
  readonly status: RawCheckStatus;
  /** Null if no known test runner reported them. */
  readonly counts: TestCounts | null;
  /** Null if the check did not fail. */
  readonly failures: ReportedFailures | null;
};

export interface TreeResult {
  readonly record: ExitRecord;
  readonly results: readonly RawCheckResult[];
  /** How the set-up command failed. No check ran then. Null if it succeeded. */
  readonly setupFailure: string | null;
}

/** A command to run. */
export interface PlannedCheck extends CheckSettings {
  /** If it fails, the commands after it do not run. Default: they run. */
  readonly stopsOnFailure?: boolean;
}

/** Runs set-up and checks on a fresh checkout: never in a tree that an agent has used. */
export async function runChecks(
  host: CheckHost,
  tree: CheckTree,
  checks: readonly PlannedCheck[],
): Promise<TreeResult> {
  const record = await runCommands(host, tree, checks);
  const setupFailure = setupFailed(record) ? await describeSetup(host, tree.job, record) : null;
  const results =
    setupFailure === null
      ? await Promise.all(upToStop(checks, record).map((check) => toResult(host, tree, check, record)))
      : checks.map((check) => didNotRun(check, setupFailure));
  return { record, results, setupFailure };
}

/** The checks that had to run: all of them, or those up to the one that stopped the job. */
function upToStop(checks: readonly PlannedCheck[], { commands }: ExitRecord): readonly PlannedCheck[] {
  const last = checks.findIndex(
    (check) => check.stopsOnFailure === true && commands.at(-1)?.name === commandName(check),
  );
  return last === -1 ? checks : checks.slice(0, last + 1);
}

async function runCommands(host: CheckHost, tree: CheckTree, checks: readonly PlannedCheck[]): Promise<ExitRecord> {
  const { ports, task } = host;
  const paths = await ports.runFiles.prepare({ run: tree.job, task: task.id, role: null });
  const workspace = await openWorkspace(host, tree.name, tree.commit, tree.overlay);
  const isSetUp = !(await wasStarted(ports, tree.job)) && (await reuseSetup(host, tree.name, paths)).isDone;
  const commands = [
    ...(isSetUp ? [] : setupCommand(host, workspace, paths)),
    ...checks.map((check) =>
      shellCommand(host, workspace, paths, {
        name: commandName(check),
        command: check.command,
        timeoutMs: check.timeoutMs,
        logFile: logFile(check),
        ifFails: check.stopsOnFailure === true ? "stop" : "continue",
        rerun: true,
      }),
    ),
  ];
  ports.hooks.passCheckpoint("checks.started");
  const job = projectJob(host, paths.dir, commands);
  return requireRecord(await host.perform(job, (progress) => toReport(tree, checks, progress)));
}

function toReport(
  { job, place }: CheckTree,
  checks: readonly CheckSettings[],
  { at, command, result }: CommandProgress,
): CheckReport | null {
  const check = checks.find((each) => commandName(each) === command);
  if (check === undefined) return null;
  const { name, severity } = check;
  const report = { at, name, severity, place, log: `${job}/${logFile(check)}` };
  if (result === null) return { ...report, result: null };
  const { exit, durationMs } = result;
  return { ...report, result: { status: statusOf(result), exitCode: exit.code, durationMs } };
}

function requireRecord(result: JobResult): ExitRecord {
  if (result.kind === "lost")
    throw new StepEnd("interrupted", "the supervisor of the checks died; its process tree was ended");
  const { error, commands } = result.record;
  if (error !== null) throw new StepEnd(error.kind === "internal" ? "interrupted" : error.kind, error.message);
  const ended = commands.find(({ endedBy }) => endedBy === "cancel" || endedBy === "kill" || endedBy === "lost");
  if (ended !== undefined)
    throw new StepEnd(ended.endedBy === "lost" ? "interrupted" : "cancel", `the check "${ended.name}" was ended`);
  return result.record;
}

/** The prefix keeps a check named `setup` apart from the set-up command. */
function commandName({ name }: Pick<CheckSettings, "name">): string {
  return `check:${name}`;
}

function logFile({ name }: Pick<CheckSettings, "name">): string {
  return `checks/${name.replace(" (related)", ".related")}.log`;
}

async function toResult(
  host: CheckHost,
  { job }: CheckTree,
  check: CheckSettings,
  record: ExitRecord,
): Promise<RawCheckResult> {
  const ended = record.commands.find(({ name }) => name === commandName(check));
  // A missing result must not count as passed. The run is repeated.
  if (ended === undefined) throw new StepEnd("interrupted", `the check "${check.name}" did not run`);
  const read = (range: LogRange): Promise<string> =>
    host.ports.runFiles.readLogTail(job, logFile(check), READ_BYTES, range);
  const { status, tail, failures, counts } = await describeOutput(ended, read);
  return {
    name: check.name,
    severity: check.severity,
    status,
    exitCode: ended.exit.code,
    durationMs: ended.durationMs,
    counts,
    failures,
    tail: ended.endedBy === "timeout" ? withTimeout(tail, ended) : tail,
  };
}

type Output = Pick<RawCheckResult, "status" | "tail" | "failures" | "counts">;

/** Reads the output of a check's last run. For a flaky check, most of the text is from the run that failed. */
async function describeOutput(ended: CommandResult, read: (range: LogRange) => Promise<string>): Promise<Output> {
  const { repetition } = ended;
  const status = statusOf(ended);
  if (ended.startError !== null) return { status, tail: ended.startError, failures: null, counts: null };
  const output = await read(repetition === undefined ? {} : { start: repetition.start });
  const counts = readTestCounts(output, output.length < READ_BYTES / 2);
  if (status === "flaky" && repetition !== undefined) {
    const failed = excerptOutput(await read({ end: repetition.failedRunEnd }), TAIL_LENGTH - REPEATED_TAIL_LENGTH);
    const title = "It failed, and passed when it was repeated at once. From the failed run:";
    const tail = `${title}\n${failed.trim()}\n\nThe end of the repeated run:\n${output.slice(-REPEATED_TAIL_LENGTH).trim()}`;
    return { status, tail, failures: null, counts };
  }
  if (status === "passed") return { status, tail: output.slice(-TAIL_LENGTH), failures: null, counts };
  return { status, tail: excerptOutput(output, TAIL_LENGTH), failures: reportFailures(output), counts };
}

function reportFailures(output: string): ReportedFailures {
  const failures = findFailures(output.split("\n"));
  return { tests: failedTests(failures), hasErrors: failures.some(({ kind }) => kind === "error") };
}

function didNotRun({ name, severity }: CheckSettings, tail: string): RawCheckResult {
  const status = "could_not_run";
  return { name, severity, status, exitCode: null, durationMs: 0, tail, counts: null, failures: null };
}

/** The supervisor's own line about the time limit is left out, because the output may have been cut before it. */
function withTimeout(tail: string, { durationMs }: CommandResult): string {
  const output = tail.replace(/^\[nightshift\] It ran longer than .* and was ended\.\n?/m, "").trim();
  return `${output}\nIt was still running after ${Math.round(durationMs / 1000)} s and was ended.`.trim();
}

/** Exit codes of a shell for a program that cannot be executed or is missing. */
const NOT_RUNNABLE: readonly (number | null)[] = [126, 127];

function statusOf({ endedBy, exit, flaky, startError }: CommandResult): RawCheckStatus {
  if (flaky) return "flaky";
  if (endedBy === "exit" && exit.code === 0) return "passed";
  return endedBy === "timeout" || startError !== null || NOT_RUNNABLE.includes(exit.code) ? "could_not_run" : "failed";
}
