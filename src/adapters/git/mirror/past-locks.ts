import { stat, unlink } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runGit } from "../git.ts";
import type { GitCall, GitResult } from "../git.ts";

/** A git that lives holds the lock of a ref for milliseconds. */
const STALE_MS = 10_000;
const TRIES = 20;

/**
 * Runs a git that writes refs below `root`. A git that was killed, or a machine that lost its power, leaves lock files
 * that would stop every later one; such a lock is waited for, and removed once it is too old to be anybody's.
 */
export async function runGitPastLocks(root: string, call: () => GitCall): Promise<GitResult> {
  let result = await runGit(call());
  for (let tries = 0; tries < TRIES && result.code !== 0; tries++) {
    const lock = /Unable to create '([^'\n]+\.lock)': File exists/.exec(result.stderr)?.[1];
    if (lock === undefined || !resolve(lock).startsWith(root + sep)) break;
    await clear(lock);
    result = await runGit(call());
  }
  return result;
}

async function clear(lock: string): Promise<void> {
  for (;;) {
    const found = await stat(lock).catch(() => null);
    if (!found) return;
    // Also when the clock was set back since.
    if (Math.abs(Date.now() - found.mtimeMs) > STALE_MS) return await unlink(lock).catch(() => undefined);
    await sleep(200);
  }
}
