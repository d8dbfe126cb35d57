import { execFileSync } from "node:child_process";
import { closeSync, openSync, readFileSync, readSync } from "node:fs";

/**
 * What processes hold in memory together: their own data, in memory and swapped out. Pages of files are left out, since
 * the system takes those back when it needs room. Pages that several share, after a fork or by intent, are counted for
 * each of them in `boundTreeMemory`, which takes some 20 µs for a process, and in shares in `readTreeMemory`, which
 * takes a millisecond and more: so the second is worth asking only when the first is over a limit.
 */
export function boundTreeMemory(pids: readonly number[]): number {
  if (!HAS_PROC) return sumPs(pids);
  return 1024 * pids.reduce((sum, pid) => sum + sumFields(readProc(pid, "status"), WHOLE), 0);
}

export function readTreeMemory(pids: readonly number[]): number {
  if (!HAS_PROC) return sumPs(pids);
  return 1024 * pids.reduce((sum, pid) => sum + readShare(pid), 0);
}

const HAS_PROC = process.platform === "linux";
const WHOLE = /^(?:RssAnon|RssShmem|VmSwap):\s+(\d+)/gm;
const SHARES = /^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+)/gm;

function readShare(pid: number): number {
  const shares = readProc(pid, "smaps_rollup");
  // A process can hide this from everybody but root, and old kernels do not have it in parts.
  return shares.includes("Pss_Anon") ? sumFields(shares, SHARES) : sumFields(readProc(pid, "status"), WHOLE);
}

/** In kB, as the kernel writes it. */
function sumFields(text: string, fields: RegExp): number {
  let sum = 0;
  for (const [, value] of text.matchAll(fields)) sum += Number(value);
  return sum;
}

/** The pid given last: as long as it stays the same, no process was started on the whole machine. Null: not known. */
export function readLastPid(): string | null {
  if (!HAS_PROC) return null;
  try {
    return readFileSync("/proc/loadavg", "latin1").trim().split(" ").at(-1) ?? null;
  } catch {
    return null;
  }
}

const buffer = Buffer.alloc(8192);

/** Empty when the process has ended or may not be asked. */
function readProc(pid: number, file: string): string {
  let handle: number;
  try {
    handle = openSync(`/proc/${pid}/${file}`, "r");
  } catch {
    return "";
  }
  try {
    return buffer.toString("latin1", 0, readSync(handle, buffer));
  } catch {
    return "";
  } finally {
    closeSync(handle);
  }
}

function sumPs(pids: readonly number[]): number {
  if (pids.length === 0) return 0;
  try {
    const rows = execFileSync("ps", ["-o", "rss=", "-p", pids.join(",")], { encoding: "utf8" });
    return rows.split("\n").reduce((sum, row) => sum + Number(row), 0) * 1024;
  } catch {
    // ps ends with 1 when none of them is left.
    return 0;
  }
}
