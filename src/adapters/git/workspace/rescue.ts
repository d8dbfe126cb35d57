import { randomBytes } from "node:crypto";
import { rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { mirrorPath, rescuePath, taskPaths } from "../context.ts";
import type { GitContext } from "../context.ts";
import { isThere, writeGitDir } from "../git-dir.ts";
import { git, gitFailure } from "../git.ts";
import { checkCommit, checkName } from "../names.ts";
import { runGitPastLocks } from "../mirror/past-locks.ts";
import { removeTree } from "./remove-tree.ts";
import { isCode } from "../mirror/turns.ts";

/**
 * Keeps a commit where it outlives its task: in a git directory of the project's own for that, which no run is given.
 * Work that was never published may hold what was refused for a reason, a secret for one.
 */
export async function rescueCommit(
  context: GitContext,
  params: { project: string; task: string; commit: string },
): Promise<void> {
  const rescue = await createRescueDir(mirrorPath(context, params.project));
  const args = ["push", "--quiet", "--force", "--", rescue, `${checkCommit(params.commit)}:${refOf(params.task)}`];
  const call = { gitDir: taskPaths(context, params.task).engine, args };
  const result = await runGitPastLocks(rescue, () => call);
  if (result.code !== 0) throw gitFailure(call, result);
}

/** Gives a task that is taken up again its rescued work, and that of no other. */
export async function bringRescued(params: { mirror: string; task: string; to: string }): Promise<void> {
  const rescue = rescuePath(params.mirror);
  const ref = refOf(params.task);
  if (!(await isThere(join(rescue, ref)))) return;
  const options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--update-shallow"];
  await git({ gitDir: params.to, args: ["fetch", ...options, "--", rescue, `+${ref}:refs/heads/work`] });
}

function refOf(task: string): string {
  return `refs/nightshift/rescue/${checkName(task)}`;
}

/** It reads what the remote has from the mirror, and holds the rest by itself. Of two who make it at once, one does. */
async function createRescueDir(mirror: string): Promise<string> {
  const rescue = rescuePath(mirror);
  if (await isThere(rescue)) return rescue;
  // Under a name that the sweep takes for what it is, should we die here.
  const building = `${rescue}.${randomBytes(6).toString("hex")}.lock`;
  await writeGitDir(building, { head: "none", bare: true, alternate: join(mirror, "objects") });
  await symlink(join(mirror, "shallow"), join(building, "shallow"));
  await rename(building, rescue).catch(async (error: unknown) => {
    await removeTree(building);
    if (!isCode(error, "ENOTEMPTY", "EEXIST")) throw error;
  });
  return rescue;
}
