import type { Run } from "../../../core/task/run.ts";
import { hasEnded, type Task } from "../../../core/task/task.ts";
import { hadSecrets } from "../../nightly/had-secrets.ts";
import { policyOf } from "../../pipeline-of.ts";
import type { EnginePorts } from "../../ports.ts";
import { cleanJobs, endJobs } from "../run-jobs.ts";
import { withTaskLock } from "../../task-lock.ts";
import { findUntouchedTree } from "../prepare/untouched-tree.ts";

type CleanUpPorts = Pick<EnginePorts, "store" | "projects" | "clock">;

const KEEP_FAILED_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_RUNS = 10_000;

/** What nobody needs of a task any more. Best effort: whatever stays behind here, the sweep finds. */
export async function cleanUp(ports: EnginePorts, id: string): Promise<void> {
  try {
    await withTaskLock(ports, id, () => cleanTask(ports, id));
  } catch (error) {
    ports.log.warn("cleaning up failed; it is tried again", { task: id, error: String(error) });
  }
}

/** Holds the task's turn. */
export async function cleanTask(ports: EnginePorts, id: string): Promise<void> {
  const task = await ports.store.tasks.getTask(id);
  if (task === null) return removeUnknownTask(ports, id);
  if (hasEnded(task)) await cleanEnded(ports, task);
  else await closeTrees(ports, task);
}

/** A failed task's workspace is kept for a week, for people to look at. */
export async function isDue(ports: CleanUpPorts, task: Task): Promise<boolean> {
  if (task.status !== "failed" || ports.clock.now() - (task.finishedAt ?? 0) >= KEEP_FAILED_MS) return true;
  return hasGivenUp(task) && (await policyOf(ports, task)).unpublished === "remove";
}

/** It published nothing of what it tried: its list, the night or the money came to an end. Its last try has a rescue ref. */
function hasGivenUp({ state, outcome }: Task): boolean {
  return outcome === state || ["night_over", "budget_exhausted"].includes(outcome ?? "");
}

/** Nothing stays, or for a failed task its workspace for a while. Work that is nowhere else is kept as a rescue ref first. */
async function cleanEnded(ports: EnginePorts, task: Task): Promise<void> {
  // By the runs, not by the trees: on a full disk a run may have got its directories and no tree.
  for (const { id } of await ports.store.tasks.listRuns({
    task: task.id,
    status: null,
    project: null,
    limit: MAX_RUNS,
  }))
    await endRun(ports, id);
  const isTainted = await hadSecrets(ports, task);
  if (!isTainted) await rescue(ports, task);
  await ports.runFiles.cleanTask(task.id);
  if (isTainted || (await isDue(ports, task))) await ports.workspaces.remove(task.id);
}

/** Each run gets a tree of its own, so those of ended runs serve nobody, but for one that the next run may take over. */
async function closeTrees(ports: EnginePorts, task: Task): Promise<void> {
  // The trees first: a run that begins after this look has no tree among them.
  const names = await ports.workspaces.trees(task.id);
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: MAX_RUNS });
  const untouched = findUntouchedTree(runs);
  const kept = isAboutToRun(runs) ? untouched : null;
  // A tree that was taken over has another name by now, and its run may not have been cleaned up yet.
  if (untouched !== null && !names.includes(untouched)) await endRun(ports, untouched);
  for (const name of names) {
    if (runs.some(({ id, finishedAt }) => finishedAt === null && id === runOfTree(name))) continue;
    // The tree goes last: as long as it stands, a crash in between is found.
    await endRun(ports, runOfTree(name));
    if (name !== kept) await ports.workspaces.close(task.id, name);
  }
}

/** Whoever waits for a person, or for another day, may wait for weeks: nothing is kept for that on the disk. */
function isAboutToRun(runs: readonly Run[]): boolean {
  return runs.some(({ finishedAt, notBefore }) => finishedAt === null && notBefore === null);
}

async function removeUnknownTask(ports: EnginePorts, id: string): Promise<void> {
  for (const name of await ports.workspaces.trees(id)) await endRun(ports, runOfTree(name));
  await ports.workspaces.remove(id);
}

/** A supervisor that was started in the very moment its run was ended works for nobody. */
async function endRun(ports: EnginePorts, run: string): Promise<void> {
  await endJobs(ports, run);
  await cleanJobs(ports, run);
}

/** Trees are named after their run, with a suffix where a run needs more than one. */
function runOfTree(name: string): string {
  return name.split(".")[0] ?? name;
}

async function rescue(ports: EnginePorts, task: Task): Promise<void> {
  if (task.headCommit === null || task.headCommit === task.baseCommit) return;
  const artifacts = await ports.store.tasks.listArtifacts(task.id);
  if (task.status === "succeeded" && artifacts.some(({ type }) => type === "branch")) return;
  await ports.workspaces.rescue(task.project, task.id, task.headCommit);
}
