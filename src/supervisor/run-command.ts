import { existsSync } from "node:fs";
import { join } from "node:path";
import { PROCESS_FILE, replaceFile, runEnvironmentEntry, SANDBOX_DIR } from "../adapters/process/job-files.ts";
import type { StoredJob } from "../adapters/process/job-files.ts";
import { processStartTime } from "../adapters/process/process-table.ts";
import { sleep } from "../adapters/process/sleep.ts";
import { createTree } from "../adapters/process/tree.ts";
import { UserError } from "../core/text/errors.ts";
import type { EndedBy, Exit } from "../core/task/run.ts";
import type { Confinement, SandboxPolicy } from "../ports/sandbox.ts";
import type { CommandResult, JobCommand } from "../ports/supervisor.ts";
import { DirectoryGoneError } from "./exit-record.ts";
import { drain } from "./output/drain.ts";
import { watchLimits } from "./watch/limits.ts";
import type { Breach } from "./watch/limits.ts";
import type { Output } from "./output/output.ts";
import type { RedactStream } from "./output/redact-stream.ts";
import type { JobControl, RunningCommand } from "./job-control.ts";
import { startProcess } from "./start-process.ts";
import type { StartedProcess } from "./start-process.ts";
import { watchBudget } from "./watch/watch-budget.ts";
import { startWatchdog } from "./watch/watchdog.ts";

export interface CommandParams {
  readonly job: StoredJob;
  readonly command: JobCommand;
  readonly confinement: Confinement;
  /** Aborts when the model gateway refuses a request because the budget is used up. */
  readonly refused: AbortSignal;
  readonly output: Output;
  readonly control: JobControl;
  readonly createRedaction: () => RedactStream;
  /** Called when the command has exited, before its remaining processes are killed. */
  readonly onExit: () => Promise<void>;
}

/** Runs one command until it exits, and ends all its remaining processes. */
export async function runCommand(params: CommandParams): Promise<CommandResult> {
  const { job, command, confinement, output, control } = params;
  const confined = confinement.command;
  const started = performance.now();
  const pausedBefore = control.pausedMs();
  const start = await startProcess({ command: confined, stdinFile: command.stdinFile, dir: job.dir });
  const ended = "startError" in start ? notStarted : await runToExit(start, params);
  const durationMs = Math.round(performance.now() - started) - (control.pausedMs() - pausedBefore);
  return {
    name: command.name,
    exit: ended.exit,
    endedBy: ended.endedBy,
    durationMs: Math.max(0, durationMs),
    outputBytes: output.bytes(),
    flaky: false,
    startError: "startError" in start ? start.startError : null,
  };
}

interface Ended {
  readonly exit: Exit;
  readonly endedBy: EndedBy;
}

const STREAMS = ["stdout", "stderr"] as const;
/** After exceeding these limits, a command is killed at once: it would use even more during a grace period. */
const KILLED_AT_ONCE: readonly EndedBy[] = ["output", "memory", "disk"];
/** Enough for the error message of a sandbox that could not start. */
const MAX_STDERR = 4096;

const notStarted: Ended = { exit: { code: null, signal: null }, endedBy: "exit" };

async function runToExit(started: StartedProcess, params: CommandParams): Promise<Ended> {
  const { job, command, confinement, output, control } = params;
  const leader = { pid: started.pid, startTime: processStartTime(started.pid) };
  const tree = createTree({
    leader,
    environment: runEnvironmentEntry(job.run),
    since: processStartTime(process.pid),
    leaderIsWall: confinement.command.isIsolating,
  });
  const ending = createEnding(tree, job.timings.graceMs);
  const failures: Error[] = [];
  let stderr = "";

  function onBreach({ endedBy, sentence, isDiskFull }: Breach): void {
    if (ending.endedBy() !== null) return;
    ending.end(endedBy, !KILLED_AT_ONCE.includes(endedBy));
    attempt(() => output.note(sentence));
    if (isDiskFull === true) failures.push(Object.assign(new Error(sentence), { code: "ENOSPC" }));
  }

  const { isPaused } = control;
  const limits = watchLimits({ command, hungMs: job.timings.hungMs, isPaused, onBreach });
  const { policy } = command;
  const watchdog = startWatchdog({
    limits: policy.limits,
    members: tree.members,
    // Granted directories contain unrelated files and are not counted. A read-only role has its /tmp in the sandbox directory.
    writable: [...policy.own.write, join(job.dir, SANDBOX_DIR)],
    isPaused,
    onBreach,
  });

  const budget = watchBudget({ refused: params.refused, graceMs: job.timings.graceMs, onBreach });

  /** Ends the command if its output cannot be written, because a run without a transcript is useless. */
  function attempt(write: () => void): void {
    if (failures.length > 0) return;
    try {
      write();
    } catch (error) {
      failures.push(error instanceof Error ? error : new Error(String(error)));
      ending.end("kill", false);
    }
  }

  const redactions = { stdout: params.createRedaction(), stderr: params.createRedaction() };
  for (const from of STREAMS) {
    started.pipes[from].on("data", (chunk: Buffer) => {
      if (from === "stderr" && stderr.length < MAX_STDERR) stderr += chunk.toString("latin1");
      attempt(() => output.append(from, redactions[from].push(chunk)));
      limits.recordOutput(output.bytes());
    });
  }
  attempt(() => replaceFile(join(job.dir, PROCESS_FILE), leader));
  await control.attach({ tree, end: ending.end });
  const exit = await started.exited;
  limits.stop();
  watchdog.stop();
  budget.stop();
  control.detach();
  ending.settle();
  const survivors = await params.onExit().then(tree.end);
  await drain(started.pipes);
  for (const from of STREAMS) attempt(() => output.append(from, redactions[from].rest()));
  if (survivors.length > 0) {
    const pids = survivors.map(({ pid }) => pid).join(", ");
    attempt(() => output.note(`These processes could not be ended: ${pids}.`));
  }
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  const endedBy = ending.endedBy() ?? (params.refused.aborted ? "budget" : null);
  // Ask the sandbox for a problem only if it exited by itself. If it was killed, its status is incomplete.
  const isUntouched = endedBy === null && exit.signal === null;
  const problem = isUntouched ? confinement.problem(await started.status(), stderr) : null;
  if (problem !== null) {
    requireDirectories(policy);
    throw new UserError("unavailable", problem);
  }
  return { exit, endedBy: endedBy ?? "exit" };
}

/** Distinguishes a directory that was removed, after which the run is repeated, from a sandbox that does not work. */
function requireDirectories({ cwd, own }: SandboxPolicy): void {
  const gone = [cwd, ...own.write].find((path) => !existsSync(path));
  if (gone !== undefined)
    throw new DirectoryGoneError(`The directory ${gone} was removed before the command could start.`);
}

interface Ending {
  readonly end: RunningCommand["end"];
  endedBy(): EndedBy | null;
  /** Call this when the process has exited, to end the grace period. */
  settle(): void;
}

function createEnding(tree: RunningCommand["tree"], graceMs: number): Ending {
  let reason: EndedBy | null = null;
  const settled = new AbortController();

  async function endGracefully(): Promise<void> {
    tree.terminate();
    await sleep(graceMs, settled.signal);
    if (!settled.signal.aborted) await tree.end();
  }

  return {
    end(endedBy, gracefully) {
      const isFirst = reason === null;
      reason ??= endedBy;
      if (!gracefully) void tree.end();
      else if (isFirst) void endGracefully();
    },
    endedBy: () => reason,
    settle: () => settled.abort(),
  };
}
