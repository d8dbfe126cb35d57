import { boundTreeMemory, readLastPid, readTreeMemory } from "../../adapters/process/tree-usage.ts";
import { formatBytes, formatOver } from "../output/format-bytes.ts";
import type { Breach } from "./limits.ts";
import { findNameless, readMapped } from "./nameless-files.ts";

type Members = () => readonly { readonly pid: number }[];

/** What takes long is done again only after many times as long, but not after more than this. */
const MAX_PAUSE_MS = 3_000;
const MEMBERS_PAUSE = 1_000;
const SHARES_PAUSE = 50;
const NAMELESS_PAUSE = 100;

/** To be asked each second: whether the processes together, with the files in memory that only they know of, hold more than the limit. */
export function watchMemory(members: Members, limit: number): () => Breach | null {
  let pids: readonly number[] = [];
  let lastPid: string | null = null;
  let listAgainAt = 0;
  let readAgainAt = 0;
  let nameless = 0;
  let findAgainAt = 0;

  function list(): void {
    const started = performance.now();
    // Before the table: what starts while it is read is found the next time.
    lastPid = readLastPid();
    pids = members().map(({ pid }) => pid);
    listAgainAt = pauseAfter(started, MEMBERS_PAUSE);
  }

  function read(): number {
    const started = performance.now();
    // A pid may have passed to somebody else since it was listed.
    list();
    const { memoryBytes, inMemory } = findNameless(pids);
    nameless = memoryBytes;
    const bytes = readTreeMemory(pids) + memoryBytes - Math.min(memoryBytes, readMapped(pids, inMemory));
    readAgainAt = pauseAfter(started, SHARES_PAUSE);
    return bytes;
  }

  function find(): void {
    const started = performance.now();
    nameless = findNameless(pids).memoryBytes;
    findAgainAt = pauseAfter(started, NAMELESS_PAUSE);
  }

  return () => {
    // The table of all processes is worth reading only when one of them is new.
    if (performance.now() >= listAgainAt && (lastPid === null || readLastPid() !== lastPid)) list();
    if (performance.now() >= findAgainAt) find();
    const bound = boundTreeMemory(pids) + nameless;
    // Near the limit there is no time to lose.
    if (bound > limit / 2) listAgainAt = findAgainAt = 0;
    if (bound <= limit || performance.now() < readAgainAt) return null;
    const bytes = read();
    if (bytes <= limit) return null;
    return {
      endedBy: "memory",
      sentence: `It used ${formatOver(bytes)} of memory, more than the ${formatBytes(limit)} allowed, and was ended.`,
    };
  };
}

function pauseAfter(started: number, factor: number): number {
  const now = performance.now();
  return now + Math.min((now - started) * factor, MAX_PAUSE_MS);
}
