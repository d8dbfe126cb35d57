import type { Tree } from "../adapters/process/tree.ts";
import type { EndedBy } from "../core/task/run.ts";
import type { ControlOrder } from "../ports/supervisor.ts";

/** The running command, as far as the job control needs it. */
export interface RunningCommand {
  readonly tree: Tree;
  /** With `gracefully`, sends SIGTERM and kills after a grace period. The first reason is kept. */
  end(endedBy: EndedBy, gracefully: boolean): void;
}

/** Executes orders and applies them to the running command. */
export interface JobControl {
  execute(order: ControlOrder): Promise<void>;
  /** Ends the job for this reason. */
  endJob(endedBy: EndedBy, gracefully: boolean): void;
  /** The reason why no further command may start, or null. */
  ending(): EndedBy | null;
  isPaused(): boolean;
  pausedMs(): number;
  /** Resolves when commands may run or the job has to end. */
  whenRunning(): Promise<void>;
  attach(command: RunningCommand): Promise<void>;
  detach(): void;
  /** Kills the running command after a failure of the supervisor itself. */
  abandon(): Promise<void>;
}

export function createJobControl(startPaused: boolean): JobControl {
  let ending: EndedBy | null = null;
  let pausedSince = startPaused ? performance.now() : null;
  let pausedBefore = 0;
  let current: RunningCommand | null = null;
  let waiting = Promise.withResolvers<void>();
  if (!startPaused) waiting.resolve();

  function isPaused(): boolean {
    return pausedSince !== null;
  }

  function resume(): void {
    if (pausedSince !== null) pausedBefore += performance.now() - pausedSince;
    pausedSince = null;
    waiting.resolve();
  }

  async function pause(): Promise<void> {
    if (ending !== null) return;
    if (pausedSince === null) {
      pausedSince = performance.now();
      waiting = Promise.withResolvers<void>();
    }
    await current?.tree.pause(isPaused);
  }

  function endJob(endedBy: EndedBy, gracefully: boolean): void {
    ending ??= endedBy;
    resume();
    current?.end(endedBy, gracefully);
  }

  return {
    async execute(order) {
      if (order === "pause") return pause();
      if (order === "stop") return endJob("cancel", true);
      if (order === "kill") return endJob("kill", false);
      if (order === "release") return endJob("lost", true);
      if (order === "end_stuck") return endJob("stuck", true);
      resume();
      current?.tree.signal("SIGCONT");
    },
    endJob,
    ending: () => ending,
    isPaused,
    pausedMs: () => Math.round(pausedBefore + (pausedSince === null ? 0 : performance.now() - pausedSince)),
    whenRunning: () => waiting.promise,
    async attach(command) {
      current = command;
      // An order may have arrived while the process was starting.
      if (ending !== null) command.end(ending, ending !== "kill");
      else if (pausedSince !== null) await command.tree.pause(isPaused);
    },
    detach: () => {
      current = null;
    },
    async abandon() {
      ending ??= "kill";
      await current?.tree.end();
    },
  };
}
