import { join } from "node:path";
import { PROCESS_FILE, replaceFile, runMark } from "../adapters/process/job-files.ts";
import type { StoredJob } from "../adapters/process/job-files.ts";
import { processStartTime } from "../adapters/process/process-table.ts";
import { sleep } from "../adapters/process/sleep.ts";
import { createTree } from "../adapters/process/tree.ts";
import type { EndedBy, Exit } from "../core/run.ts";
import type { ConfinedCommand } from "../ports/sandbox.ts";
import type { CommandResult, JobCommand } from "../ports/supervisor.ts";
import { drain } from "./drain.ts";
import { watchLimits } from "./limits.ts";
import type { Output } from "./output.ts";
import type { Reins, RunningCommand } from "./reins.ts";
import { startProcess } from "./start-process.ts";
import type { StartedProcess } from "./start-process.ts";

export interface CommandParams {
  readonly job: StoredJob;
  readonly command: JobCommand;
  readonly confined: ConfinedCommand;
  readonly secrets: Readonly<Record<string, string>>;
  readonly output: Output;
  readonly reins: Reins;
}

/** Runs one command to its end and leaves no process of it behind. */
export async function runCommand(params: CommandParams): Promise<CommandResult> {
  const { job, command, confined, secrets, output, reins } = params;
  const env = { ...confined.env, ...secrets, NIGHTSHIFT_RUN: job.run };
  const started = performance.now();
  const pausedBefore = reins.pausedMs();
  const start = await startProcess({ command: confined, env, stdinFile: command.stdinFile, dir: job.dir });
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

const notStarted: Ended = { exit: { code: null, signal: null }, endedBy: "exit" };

async function live(started: StartedProcess, params: CommandParams): Promise<Ended> {
  const { job, command, output, reins } = params;
  const leader = { pid: started.pid, startTime: processStartTime(started.pid) };
  const tree = createTree({ leader, environment: runMark(job.run), since: processStartTime(process.pid) });
  const ending = createEnding(tree, job.timings.politeMs);
  const failures: Error[] = [];

  const limits = watchLimits({
    command,
    hungMs: job.timings.hungMs,
    isPaused: reins.isPaused,
    onBreach({ endedBy, sentence }) {
      if (ending.endedBy() !== null) return;
      // Whatever floods us goes on flooding while it is asked politely.
      ending.end(endedBy, endedBy !== "output");
      attempt(() => output.note(sentence));
    },
  });

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

  for (const from of ["stdout", "stderr"] as const) {
    started.pipes[from].on("data", (chunk: Buffer) => {
      attempt(() => output.take(from, chunk));
      limits.heard(output.bytes());
    });
  }
  attempt(() => replaceFile(join(job.dir, PROCESS_FILE), leader));
  await reins.hold({ tree, end: ending.end });
  const exit = await started.exited;
  limits.stop();
  reins.letGo();
  ending.settle();
  const survivors = await tree.end();
  await drain(started.pipes);
  if (survivors.length > 0) {
    const pids = survivors.map(({ pid }) => pid).join(", ");
    attempt(() => output.note(`These processes could not be ended: ${pids}.`));
  }
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  return { exit, endedBy: ending.endedBy() ?? "exit" };
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
    // A stopped process hears nothing until it goes on.
    tree.signal("SIGTERM", "SIGCONT");
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
