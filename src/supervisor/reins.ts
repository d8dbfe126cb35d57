import type { Tree } from "../adapters/process/tree.ts";
import type { EndedBy } from "../core/task/run.ts";
import type { ControlOrder } from "../ports/supervisor.ts";

/** The command that runs now, as far as orders need it. */
export interface RunningCommand {
  readonly tree: Tree;
  /** `politely`: ask, wait, then kill. The first reason stays. */
  end(endedBy: EndedBy, politely: boolean): void;
}

/** What was ordered, and the one place where it reaches the running command. */
export interface Reins {
  obey(order: ControlOrder): Promise<void>;
  /** Ends the job for this reason. */
  endJob(endedBy: EndedBy, politely: boolean): void;
  /** Why no further command may start. */
  ending(): EndedBy | null;
  isPaused(): boolean;
  pausedMs(): number;
  /** Resolves when commands may run, or when the job is to end. */
  whenRunning(): Promise<void>;
  hold(command: RunningCommand): Promise<void>;
  letGo(): void;
  /** Something of our own broke: nothing of the job may go on. */
  abandon(): Promise<void>;
}

export function createReins(startPaused: boolean): Reins {
  let ending: EndedBy | null = null;
  let pausedSince = startPaused ? performance.now() : null;
  let pausedBefore = 0;
  let current: RunningCommand | null = null;
  let waiting = Promise.withResolvers<void>();
  if (!startPaused) waiting.resolve();

  function isPaused(): boolean {
    return pausedSince !== null;
  }

  function goOn(): void {
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

  function endJob(endedBy: EndedBy, politely: boolean): void {
    ending ??= endedBy;
    goOn();
    current?.end(endedBy, politely);
  }

  return {
    async obey(order) {
      if (order === "pause") return pause();
      if (order === "stop") return endJob("cancel", true);
      if (order === "kill") return endJob("kill", false);
      if (order === "release") return endJob("lost", true);
      goOn();
      current?.tree.signal("SIGCONT");
    },
    endJob,
    ending: () => ending,
    isPaused,
    pausedMs: () => Math.round(pausedBefore + (pausedSince === null ? 0 : performance.now() - pausedSince)),
    whenRunning: () => waiting.promise,
    async hold(command) {
      current = command;
      // An order may have come while the process was being started.
      if (ending !== null) command.end(ending, ending !== "kill");
      else if (pausedSince !== null) await command.tree.pause(isPaused);
    },
    letGo: () => {
      current = null;
    },
    async abandon() {
      ending ??= "kill";
      await current?.tree.end();
    },
  };
}
