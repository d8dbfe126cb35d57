import { cpus, totalmem } from "node:os";
import type { SandboxLimits } from "../ports/sandbox.ts";

const GB = 1024 ** 3;

interface Machine {
  readonly memoryBytes: number;
  readonly cores: number;
}

/**
 * What one command may take of this machine, which is given so much time: room for any build, and not so much that the
 * machine goes down with it.
 */
export function sandboxLimits(machine: Machine = thisMachine()): (timeoutMs: number) => SandboxLimits {
  const { memoryBytes, cores } = machine;
  const share = Math.floor(memoryBytes * 0.75);
  return (timeoutMs) => ({
    processes: 4096,
    memoryBytes: share,
    treeMemoryBytes: share,
    // As much as a process can use in its time when it has all processors to itself: never too little for honest work.
    cpuSeconds: Math.ceil(timeoutMs / 1000) * cores,
    fileBytes: 8 * GB,
    // Kept in memory.
    tmpBytes: Math.min(2 * GB, Math.floor(memoryBytes / 8)),
    diskBytes: 20 * GB,
    diskFloorBytes: DISK_FLOOR_BYTES,
  });
}

/** All processors, also those that we are kept from: what we start may not be. None are known where /proc is not to be had. */
function thisMachine(): Machine {
  return { memoryBytes: totalmem(), cores: Math.max(1, cpus().length) };
}

/** With less than this free nothing starts, and what runs is ended before the machine has nothing left. */
export const DISK_FLOOR_BYTES = 200_000_000;
