import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Processes of the machine with this word in their arguments, by their pid outside. */
export function withWord(word: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && commandOf(name).split("\0").includes(word))
    .map(Number);
}

/** Those that are still alive after a grace period. */
export async function survivorsOf(word: string, timeoutMs = 3_000): Promise<readonly number[]> {
  for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await sleep(100)) {
    if (withWord(word).length === 0) return [];
  }
  return withWord(word);
}

export async function until(what: () => boolean, timeoutMs = 10_000): Promise<void> {
  for (const deadline = performance.now() + timeoutMs; !what(); await sleep(40)) {
    if (performance.now() > deadline) throw new Error(`did not happen within ${timeoutMs} ms: ${String(what)}`);
  }
}

export function childrenOf(pid: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
}

/** Cleans up after controls: ends these processes, and then all with the word, until there are none. */
export async function endAll(pids: readonly number[], word: string): Promise<void> {
  endEach(pids);
  for (let quiet = 0; quiet < 3; await sleep(50)) {
    const found = withWord(word);
    endEach(found);
    quiet = found.length === 0 ? quiet + 1 : 0;
  }
}

function endEach(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has already ended.
    }
  }
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return 0;
  }
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
