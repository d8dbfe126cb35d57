import { join } from "node:path";
import { PROCESS_FILE, replaceFile, runMark, WALL } from "../adapters/process/job-files.ts";
import type { StoredJob } from "../adapters/process/job-files.ts";
import { processStartTime } from "../adapters/process/process-table.ts";
import { sleep } from "../adapters/process/sleep.ts";
import { createTree } from "../adapters/process/tree.ts";
import { UserError } from "../core/text/errors.ts";
import type { EndedBy, Exit } from "../core/task/run.ts";
import type { Confinement } from "../ports/sandbox.ts";
import type { CommandResult, JobCommand } from "../ports/supervisor.ts";
import { drain } from "./output/drain.ts";
import { watchLimits } from "./watch/limits.ts";
import type { Breach } from "./watch/limits.ts";
import type { Output } from "./output/output.ts";
import type { RedactStream } from "./output/redact-stream.ts";
import type { Reins, RunningCommand } from "./reins.ts";
import { startProcess } from "./start-process.ts";
import type { StartedProcess } from "./start-process.ts";
import { watchBudget } from "./watch/watch-budget.ts";
import { startWatchdog } from "./watch/watchdog.ts";

export interface CommandParams {
  readonly job: StoredJob;
  readonly command: JobCommand;
  readonly confinement: Confinement;
  /** Aborts when the model gateway refused a request for the budget's sake. */
  readonly refused: AbortSignal;
  readonly output: Output;
  readonly reins: Reins;
  readonly createRedaction: () => RedactStream;
}

/** Runs one command to its end and leaves no process of it behind. */
export async function runCommand(params: CommandParams): Promise<CommandResult> {
  const { job, command, confinement, output, reins } = params;
  const confined = confinement.command;
  const started = performance.now();
  const pausedBefore = reins.pausedMs();
  const start = await startProcess({ command: confined, stdinFile: command.stdinFile, dir: job.dir });
  const ended = "startError" in start ? notStarted : await live(start, params);
  const durationMs = Math.round(performance.now() - started) - (reins.pausedMs() - pausedBefore);
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
/** Asked politely, these would only go on with it. */
const FLOODS: readonly EndedBy[] = ["output", "memory", "disk"];
/** As much as a wall that does not come up has to say. */
const MAX_COMPLAINT = 4096;

const notStarted: Ended = { exit: { code: null, signal: null }, endedBy: "exit" };

async function live(started: StartedProcess, params: CommandParams): Promise<Ended> {
  const { job, command, confinement, output, reins } = params;
  const leader = { pid: started.pid, startTime: processStartTime(started.pid) };
  const tree = createTree({
    leader,
    environment: runMark(job.run),
    since: processStartTime(process.pid),
    leaderIsWall: confinement.command.isWall,
  });
  const ending = createEnding(tree, job.timings.politeMs);
  const failures: Error[] = [];
  let stderr = "";

  function onBreach({ endedBy, sentence, isDiskFull }: Breach): void {
    if (ending.endedBy() !== null) return;
    // Whatever floods us goes on flooding while it is asked politely.
    ending.end(endedBy, !FLOODS.includes(endedBy));
    attempt(() => output.note(sentence));
    if (isDiskFull === true) failures.push(Object.assign(new Error(sentence), { code: "ENOSPC" }));
  }

  const { isPaused } = reins;
  const limits = watchLimits({ command, hungMs: job.timings.hungMs, isPaused, onBreach });
  const { policy } = command;
  const watchdog = startWatchdog({
    limits: policy.limits,
    members: tree.members,
    // What was granted is full of other things. A role that only reads has its /tmp beside the wall.
    writable: [...policy.own.write, join(job.dir, WALL)],
    isPaused,
    onBreach,
  });

  const budget = watchBudget({ refused: params.refused, graceMs: job.timings.politeMs, onBreach });

  /** Output that cannot be written ends the command: a run without its transcript is worth nothing. */
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
      if (from === "stderr" && stderr.length < MAX_COMPLAINT) stderr += chunk.toString("latin1");
      attempt(() => output.take(from, redactions[from].push(chunk)));
      limits.heard(output.bytes());
    });
  }
  attempt(() => replaceFile(join(job.dir, PROCESS_FILE), leader));
  await reins.hold({ tree, end: ending.end });
  const exit = await started.exited;
  limits.stop();
  watchdog.stop();
  budget.stop();
  reins.letGo();
  ending.settle();
  const survivors = await tree.end();
  await drain(started.pipes);
  for (const from of STREAMS) attempt(() => output.take(from, redactions[from].rest()));
  if (survivors.length > 0) {
    const pids = survivors.map(({ pid }) => pid).join(", ");
    attempt(() => output.note(`These processes could not be ended: ${pids}.`));
  }
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  const endedBy = ending.endedBy() ?? (params.refused.aborted ? "budget" : null);
  // Only a wall that nobody touched is asked: one that was killed has no last word.
  const isUntouched = endedBy === null && exit.signal === null;
  const problem = isUntouched ? confinement.problem(await started.status(), stderr) : null;
  if (problem !== null) throw new UserError("unavailable", problem);
  return { exit, endedBy: endedBy ?? "exit" };
}

interface Ending {
  readonly end: RunningCommand["end"];
  endedBy(): EndedBy | null;
  /** The process has exited: nothing is left to wait for. */
  settle(): void;
}

function createEnding(tree: RunningCommand["tree"], politeMs: number): Ending {
  let reason: EndedBy | null = null;
  const settled = new AbortController();

  async function endPolitely(): Promise<void> {
    tree.ask();
    await sleep(politeMs, settled.signal);
    if (!settled.signal.aborted) await tree.end();
  }

  return {
    end(endedBy, politely) {
      const isFirst = reason === null;
      reason ??= endedBy;
      if (!politely) void tree.end();
      else if (isFirst) void endPolitely();
    },
    endedBy: () => reason,
    settle: () => settled.abort(),
  };
}
