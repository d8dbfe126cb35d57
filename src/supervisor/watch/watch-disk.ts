import { statfsSync } from "node:fs";
import { measureDisk } from "../../adapters/sandboxes/disk-usage.ts";
import type { SandboxLimits } from "../../ports/sandbox.ts";
import { formatBytes, formatOver } from "../output/format-bytes.ts";
import type { Breach } from "./limits.ts";

interface DiskParams {
  readonly dirs: readonly string[];
  /** In files that were removed from there and are still open, so that they are in no directory. */
  readonly removedBytes: () => number;
  readonly limits: Pick<SandboxLimits, "diskBytes" | "diskFloorBytes">;
  readonly tickMs: number;
  readonly signal: AbortSignal;
  readonly onBreach: (breach: Breach) => void;
}

/** Between two looks, in ticks. */
const MIN_PAUSE = 2;
const MAX_PAUSE = 300;
/** Looking may take this part of the time at most. */
const COST_FACTOR = 10;

/**
 * To be called each second: looks at the free space, which is cheap, and now and then at what the directories hold, which
 * is not. As long as they hardly grow the pauses between two looks do; when space goes quickly there is another look.
 */
export function watchDisk({ dirs, removedBytes, limits, tickMs, signal, onBreach }: DiskParams): () => void {
  const limit = limits.diskBytes;
  let isLooking = false;
  let calm = 0;
  let last = { bytes: 0, space: "", freeBytes: Infinity, earliest: performance.now() + MIN_PAUSE * tickMs, latest: 0 };

  async function look(space: Space): Promise<void> {
    const started = performance.now();
    const removed = removedBytes();
    const inDirs = await measureDisk({ dirs, limitBytes: limit - removed, signal });
    const bytes = inDirs.bytes + removed;
    if (bytes > limit) {
      const sentence = `It filled ${formatOver(bytes)} of disk, more than the ${formatBytes(limit)} allowed, and was ended.`;
      return onBreach({ endedBy: "disk", sentence });
    }
    calm = bytes - last.bytes > limit / 100 ? 0 : calm + 1;
    const now = performance.now();
    const pause = Math.max((now - started) * COST_FACTOR, MIN_PAUSE * tickMs);
    const latest = now + Math.max(pause, Math.min(pause * 4 ** calm, MAX_PAUSE * tickMs));
    last = { bytes, space: space.mark, freeBytes: space.freeBytes, earliest: now + pause, latest };
  }

  function isDue(space: Space): boolean {
    const now = performance.now();
    if (isLooking || now < last.earliest) return false;
    // To the last block as it was: nothing was written, by anybody.
    if (space.mark === last.space) return false;
    return now >= last.latest || last.freeBytes - space.freeBytes > (limit - last.bytes) / 10;
  }

  return () => {
    const space = readSpace(dirs);
    if (space.freeBytes < limits.diskFloorBytes) {
      const [free, floor] = [space.freeBytes, limits.diskFloorBytes].map((bytes) => formatBytes(bytes));
      const sentence = `Only ${free} are free on the disk it writes to, less than the ${floor} that must stay free; so it was ended.`;
      return onBreach({ endedBy: "disk", sentence, isDiskFull: true });
    }
    if (!isDue(space)) return;
    isLooking = true;
    void look(space).finally(() => (isLooking = false));
  };
}

interface Space {
  /** Where there is least. */
  readonly freeBytes: number;
  /** Differs when anything was written or removed. */
  readonly mark: string;
}

function readSpace(dirs: readonly string[]): Space {
  let freeBytes = Infinity;
  let mark = "";
  for (const dir of dirs) {
    try {
      const { bavail, bfree, bsize, ffree } = statfsSync(dir);
      freeBytes = Math.min(freeBytes, bavail * bsize);
      mark += `${bfree}:${ffree};`;
    } catch {
      // Gone: nothing is written there.
      mark += "gone;";
    }
  }
  return { freeBytes, mark };
}
