import type { SandboxLimits } from "../../ports/sandbox.ts";
import type { Breach } from "./limits.ts";
import { findNameless } from "./nameless-files.ts";
import { watchDisk } from "./watch-disk.ts";
import { watchMemory } from "./watch-memory.ts";

export interface WatchdogParams {
  readonly limits: Pick<SandboxLimits, "treeMemoryBytes" | "diskBytes" | "diskFloorBytes">;
  /** The processes of the command that live. */
  readonly members: () => readonly { readonly pid: number }[];
  /** The directories whose content is counted as the run's. */
  readonly writable: readonly string[];
  readonly isPaused: () => boolean;
  readonly onBreach: (breach: Breach) => void;
  /** How often it looks; for tests that cannot wait. */
  readonly tickMs?: number;
}

const TICK_MS = 1_000;

/** Looks after what the kernel does not limit: memory of all processes together, and disk. Tells the first breach. */
export function startWatchdog(params: WatchdogParams): { stop(): void } {
  const { limits, members, writable, isPaused, onBreach, tickMs = TICK_MS } = params;
  const stopped = new AbortController();
  const checkMemory = watchMemory(members, limits.treeMemoryBytes);
  const checkDisk = watchDisk({
    dirs: writable,
    removedBytes: () => findNameless(members().map(({ pid }) => pid)).diskBytes,
    limits,
    tickMs,
    signal: stopped.signal,
    onBreach: tell,
  });

  const timer = setInterval(() => {
    // What stands still takes no more than it has.
    if (isPaused()) return;
    const breach = checkMemory();
    if (breach === null) checkDisk();
    else tell(breach);
  }, tickMs);

  function stop(): void {
    clearInterval(timer);
    stopped.abort();
  }

  function tell(breach: Breach): void {
    if (stopped.signal.aborted) return;
    stop();
    onBreach(breach);
  }

  return { stop };
}
