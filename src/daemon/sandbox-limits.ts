import { totalmem } from "node:os";
import type { SandboxLimits } from "../ports/sandbox.ts";

const GB = 1024 ** 3;

/** What one run may take of this machine: room for any build, and not so much that the machine goes down with it. */
export function sandboxLimits(memoryBytes = totalmem()): SandboxLimits {
  const share = Math.floor(memoryBytes * 0.75);
  return {
    processes: 4096,
    memoryBytes: share,
    treeMemoryBytes: share,
    fileBytes: 8 * GB,
    // Kept in memory.
    tmpBytes: Math.min(2 * GB, Math.floor(memoryBytes / 8)),
    diskBytes: 20 * GB,
    diskFloorBytes: DISK_FLOOR_BYTES,
  };
}

/** With less than this free nothing starts, and what runs is ended before the machine has nothing left. */
export const DISK_FLOOR_BYTES = 200_000_000;
