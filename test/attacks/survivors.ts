import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Processes of the machine with this word in their arguments, by their pid outside. */
export function findProcesses(word: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && commandOf(name).split("\0").includes(word))
    .map(Number);
}

/** Processes with this word that are still alive after the timeout. */
export async function findSurvivors(word: string, timeoutMs = 3_000): Promise<readonly number[]> {
  for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await sleep(100)) {
    if (findProcesses(word).length === 0) return [];
  }
  return findProcesses(word);
}

export function childrenOf(pid: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
}

/** Cleans up after controls: kills these processes, and then all with the word, until there are none. */
export async function killAll(pids: readonly number[], word: string): Promise<void> {
  killEach(pids);
  for (let quiet = 0; quiet < 3; await sleep(50)) {
    const found = findProcesses(word);
    killEach(found);
    quiet = found.length === 0 ? quiet + 1 : 0;
  }
}

function killEach(pids: readonly number[]): void {
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
