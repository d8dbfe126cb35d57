import { readlink, symlink, unlink } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

export type KeyedLock = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Runs work with the same key one at a time, in the order of the calls. */
export function createKeyedLock(): KeyedLock {
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
 * A lock between processes: a symbolic link whose target is the owner's process id, so that it is created atomically with
 * its content. A lock is taken over if its owner is dead or has our own id (a restarted container reuses ids).
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
