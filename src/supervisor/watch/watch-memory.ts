import { boundTreeMemory, readLastPid, readTreeMemory } from "../../adapters/process/tree-usage.ts";
import { formatBytes, formatBytesRoundedUp } from "../output/format-bytes.ts";
import type { Breach } from "./limits.ts";
import { findUnlinkedFiles, readMappedBytes } from "./unlinked-files.ts";

type Members = () => readonly { readonly pid: number }[];

/** After an expensive measurement, wait a multiple of its duration, but at most this long. */
const MAX_PAUSE_MS = 3_000;
const MEMBERS_PAUSE = 1_000;
const SHARES_PAUSE = 50;
const UNLINKED_PAUSE = 100;

/** Returns a check to call every second. It reports a breach if the processes and their unlinked files in memory exceed the limit. */
export function watchMemory(members: Members, limit: number): () => Breach | null {
  let pids: readonly number[] = [];
  let lastPid: string | null = null;
  let listAgainAt = 0;
  let readAgainAt = 0;
  let unlinkedBytes = 0;
  let findAgainAt = 0;

  function list(): void {
    const started = performance.now();
    // Read before the process table, so that a process that starts meanwhile is found next time.
    lastPid = readLastPid();
    pids = members().map(({ pid }) => pid);
    listAgainAt = pauseAfter(started, MEMBERS_PAUSE);
  }

  function read(): number {
    const started = performance.now();
    // List again, because a pid may have been reused since.
    list();
    const { memoryBytes, inMemory } = findUnlinkedFiles(pids);
    unlinkedBytes = memoryBytes;
    const bytes = readTreeMemory(pids) + memoryBytes - Math.min(memoryBytes, readMappedBytes(pids, inMemory));
    readAgainAt = pauseAfter(started, SHARES_PAUSE);
    return bytes;
  }

  function find(): void {
    const started = performance.now();
    unlinkedBytes = findUnlinkedFiles(pids).memoryBytes;
    findAgainAt = pauseAfter(started, UNLINKED_PAUSE);
  }

  return () => {
    // Read the process table only if a new process was started on the machine.
    if (performance.now() >= listAgainAt && (lastPid === null || readLastPid() !== lastPid)) list();
    if (performance.now() >= findAgainAt) find();
    const bound = boundTreeMemory(pids) + unlinkedBytes;
    // Near the limit, do not wait for the next measurement.
    if (bound > limit / 2) listAgainAt = findAgainAt = 0;
    if (bound <= limit || performance.now() < readAgainAt) return null;
    const bytes = read();
    if (bytes <= limit) return null;
    return {
      endedBy: "memory",
      sentence: `It used ${formatBytesRoundedUp(bytes)} of memory, more than the ${formatBytes(limit)} allowed, and was ended.`,
    };
  };
}

function pauseAfter(started: number, factor: number): number {
  const now = performance.now();
  return now + Math.min((now - started) * factor, MAX_PAUSE_MS);
}
