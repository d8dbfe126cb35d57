import { statfsSync } from "node:fs";
import { measureDisk } from "../../adapters/sandboxes/disk-usage.ts";
import type { SandboxLimits } from "../../ports/sandbox.ts";
import { formatBytes, formatBytesRoundedUp } from "../output/format-bytes.ts";
import type { Breach } from "./limits.ts";

interface DiskParams {
  readonly dirs: readonly string[];
  /** Bytes in deleted files that are still open. They are in no directory. */
  readonly removedBytes: () => number;
  readonly limits: Pick<SandboxLimits, "diskBytes" | "diskFloorBytes">;
  readonly tickMs: number;
  readonly signal: AbortSignal;
  readonly onBreach: (breach: Breach) => void;
}

/** Time between two measurements, in ticks. */
const MIN_PAUSE = 2;
const MAX_PAUSE = 300;
/** Measuring may take at most 1/10 of the time. */
const COST_FACTOR = 10;

/**
 * Returns a check to call every second. It always reads the free space, which is cheap, and sometimes measures the
 * directories, which is not. The interval between measurements grows while the size is stable, and a fast loss of free space
 * triggers a measurement.
 */
export function watchDisk({ dirs, removedBytes, limits, tickMs, signal, onBreach }: DiskParams): () => void {
  const limit = limits.diskBytes;
  let isMeasuring = false;
  let calm = 0;
  let last = { bytes: 0, space: "", freeBytes: Infinity, earliest: performance.now() + MIN_PAUSE * tickMs, latest: 0 };

  async function measure(space: Space): Promise<void> {
    const started = performance.now();
    const removed = removedBytes();
    const inDirs = await measureDisk({ dirs, limitBytes: limit - removed, signal });
    const bytes = inDirs.bytes + removed;
    if (bytes > limit) {
      const sentence = `It filled ${formatBytesRoundedUp(bytes)} of disk, more than the ${formatBytes(limit)} allowed, and was ended.`;
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
    if (isMeasuring || now < last.earliest) return false;
    // The free blocks and inodes have not changed, so nothing was written.
    if (space.mark === last.space) return false;
    return now >= last.latest || last.freeBytes - space.freeBytes > (limit - last.bytes) / 10;
  }

  return () => {
    const space = readSpace(dirs);
    if (space.freeBytes < limits.diskFloorBytes) {
      const [free, floor] = [space.freeBytes, limits.diskFloorBytes].map((bytes) => formatBytes(bytes));
      const sentence = `Only ${free} are free on the disk that it writes to, less than the required ${floor}, so it was ended.`;
      return onBreach({ endedBy: "disk", sentence, isDiskFull: true });
    }
    if (!isDue(space)) return;
    isMeasuring = true;
    void measure(space).finally(() => (isMeasuring = false));
  };
}

interface Space {
  /** Minimum over all directories. */
  readonly freeBytes: number;
  /** Changes when anything is written or removed. */
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
      // The directory does not exist any more, so nothing is written there.
      mark += "gone;";
    }
  }
  return { freeBytes, mark };
}
