import { cpus, totalmem } from "node:os";
import type { SandboxLimits } from "../ports/sandbox.ts";

const GB = 1024 ** 3;

interface Machine {
  readonly memoryBytes: number;
  readonly cores: number;
}

/** Resource limits of one command with the given timeout: enough for any build, but the machine stays usable. */
export function sandboxLimits(machine: Machine = thisMachine()): (timeoutMs: number) => SandboxLimits {
  const { memoryBytes, cores } = machine;
  const share = Math.floor(memoryBytes * 0.75);
  return (timeoutMs) => ({
    processes: 4096,
    memoryBytes: share,
    treeMemoryBytes: share,
    // The most that a command can use within its timeout, so it never stops legitimate work.
    cpuSeconds: Math.ceil(timeoutMs / 1000) * cores,
    fileBytes: 8 * GB,
    // /tmp is kept in memory.
    tmpBytes: Math.min(2 * GB, Math.floor(memoryBytes / 8)),
    diskBytes: 20 * GB,
    diskFloorBytes: DISK_FLOOR_BYTES,
  });
}

/** Counts all processors: the daemon's own CPU affinity may not apply to commands. Without /proc the list is empty. */
function thisMachine(): Machine {
  return { memoryBytes: totalmem(), cores: Math.max(1, cpus().length) };
}

/** Below this much free disk space, no run starts and active ones are stopped. */
export const DISK_FLOOR_BYTES = 200_000_000;
