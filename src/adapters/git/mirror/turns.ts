import { readlink, symlink, unlink } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Work under the same key is done one after the other, in the order it was asked for. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}

/**
 * Keeps other processes out. The lock is a symbolic link whose target is the owner's process id: made in one step with
 * its content. A lock whose owner is dead, or has our own id (we died and came back, as in a container), is taken over.
 */
export async function withProcessLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      await symlink(String(process.pid), path);
      break;
    } catch (error) {
      if (!isCode(error, "EEXIST")) throw error;
    }
    const owner = await readlink(path).catch(() => null);
    if (owner === null) continue;
    if (Number(owner) === process.pid || !isAlive(Number(owner))) await unlink(path).catch(() => undefined);
    else await sleep(50);
  }
  try {
    return await work();
  } finally {
    await unlink(path).catch(() => undefined);
  }
}

export function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && codes.includes(error.code);
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, "EPERM");
  }
}
