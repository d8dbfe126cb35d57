import type { SandboxLimits } from "../../ports/sandbox.ts";
import type { Breach } from "./limits.ts";
import { findUnlinkedFiles } from "./unlinked-files.ts";
import { watchDisk } from "./watch-disk.ts";
import { watchMemory } from "./watch-memory.ts";

export interface WatchdogParams {
  readonly limits: Pick<SandboxLimits, "treeMemoryBytes" | "diskBytes" | "diskFloorBytes">;
  /** Returns the live processes of the command. */
  readonly members: () => readonly { readonly pid: number }[];
  /** Directories whose content counts towards the run's disk limit. */
  readonly writable: readonly string[];
  readonly isPaused: () => boolean;
  readonly onBreach: (breach: Breach) => void;
  /** Interval of the checks. Tests use a shorter one. */
  readonly tickMs?: number;
}

const TICK_MS = 1_000;

/** Watches limits that the kernel does not enforce: the memory of all processes together, and disk space. Reports only the first breach. */
export function startWatchdog(params: WatchdogParams): { stop(): void } {
  const { limits, members, writable, isPaused, onBreach, tickMs = TICK_MS } = params;
  const stopped = new AbortController();
  const checkMemory = watchMemory(members, limits.treeMemoryBytes);
  const checkDisk = watchDisk({
    dirs: writable,
    removedBytes: () => findUnlinkedFiles(members().map(({ pid }) => pid)).diskBytes,
    limits,
    tickMs,
    signal: stopped.signal,
    onBreach: reportBreach,
  });

  const timer = setInterval(() => {
    // Paused processes do not use more than they already have.
    if (isPaused()) return;
    const breach = checkMemory();
    if (breach === null) checkDisk();
    else reportBreach(breach);
  }, tickMs);

  function stop(): void {
    clearInterval(timer);
    stopped.abort();
  }

  function reportBreach(breach: Breach): void {
    if (stopped.signal.aborted) return;
    stop();
    onBreach(breach);
  }

  return { stop };
}
