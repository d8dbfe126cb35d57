import { stat, unlink } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runGit } from "../git.ts";
import type { GitCall, GitResult } from "../git.ts";

/** A running git holds a ref's lock for milliseconds only. */
const STALE_MS = 10_000;
const TRIES = 20;

/**
 * Runs a git command that writes refs below `root`. A killed git or a power failure leaves lock files that would make every
 * later command fail, so this waits for such a lock and removes it once it is stale.
 */
export async function runGitRetryingLockedRefs(root: string, call: () => GitCall): Promise<GitResult> {
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
    // The absolute difference also covers a clock that was set back.
    if (Math.abs(Date.now() - found.mtimeMs) > STALE_MS) return await unlink(lock).catch(() => undefined);
    await sleep(200);
  }
}
