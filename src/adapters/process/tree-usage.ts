import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { HAS_PROC, readProcFile } from "./process-table.ts";

/**
 * Memory of several processes together: anonymous and shared memory, resident or swapped. Excludes the page cache, which
 * the system can reclaim. `boundTreeMemory` is an upper bound that counts shared pages once per process and takes about
 * 20 µs per process. `readTreeMemory` counts shared pages proportionally and takes a millisecond or more, so call it only
 * if the upper bound exceeds a limit.
 */
export function boundTreeMemory(pids: readonly number[]): number {
  if (!HAS_PROC) return sumPs(pids);
  return 1024 * pids.reduce((sum, pid) => sum + sumFields(readProcFile(pid, "status"), WHOLE), 0);
}

export function readTreeMemory(pids: readonly number[]): number {
  if (!HAS_PROC) return sumPs(pids);
  return 1024 * pids.reduce((sum, pid) => sum + readShare(pid), 0);
}

const WHOLE = /^(?:RssAnon|RssShmem|VmSwap):\s+(\d+)/gm;
const SHARES = /^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+)/gm;

function readShare(pid: number): number {
  const shares = readProcFile(pid, "smaps_rollup");
  // A process can hide this file from everyone but root, and old kernels lack these fields.
  return shares.includes("Pss_Anon") ? sumFields(shares, SHARES) : sumFields(readProcFile(pid, "status"), WHOLE);
}

/** In kB, the unit of the kernel. */
function sumFields(text: string, fields: RegExp): number {
  let sum = 0;
  for (const [, value] of text.matchAll(fields)) sum += Number(value);
  return sum;
}

/** The latest pid on this machine. While it stays the same, no process was started. Null if unknown. */
export function readLastPid(): string | null {
  if (!HAS_PROC) return null;
  try {
    return readFileSync("/proc/loadavg", "latin1").trim().split(" ").at(-1) ?? null;
  } catch {
    return null;
  }
}

function sumPs(pids: readonly number[]): number {
  if (pids.length === 0) return 0;
  try {
    const rows = execFileSync("ps", ["-o", "rss=", "-p", pids.join(",")], { encoding: "utf8" });
    return rows.split("\n").reduce((sum, row) => sum + Number(row), 0) * 1024;
  } catch {
    // ps exits with 1 if none of the processes exists any more.
    return 0;
  }
}
