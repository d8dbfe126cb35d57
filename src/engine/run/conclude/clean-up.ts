import type { Run } from "../../../core/task/run.ts";
import { hasEnded, type Task } from "../../../core/task/task.ts";
import { hadSecrets } from "../../nightly/had-secrets.ts";
import { policyOf } from "../../pipeline-of.ts";
import type { EnginePorts } from "../../ports.ts";
import { cleanJobs, endJobs } from "../run-jobs.ts";
import { withTaskLock } from "../../transact.ts";
import { findPreparedTree, findUntouchedTree, isPreparedTree } from "../prepare/reusable-trees.ts";

type CleanUpPorts = Pick<EnginePorts, "store" | "projects" | "clock">;

const KEEP_FAILED_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_RUNS = 10_000;

/** Removes what a task no longer needs. Best effort: the periodic sweep removes the rest. */
export async function cleanUp(ports: EnginePorts, id: string): Promise<void> {
  try {
    await withTaskLock(ports, id, () => cleanTask(ports, id));
  } catch (error) {
    ports.log.warn("cleanup failed and will be retried", { task: id, error: String(error) });
  }
}

/** The caller must hold the task's lock. */
export async function cleanTask(ports: EnginePorts, id: string): Promise<void> {
  const task = await ports.store.tasks.getTask(id);
  if (task === null) return removeUnknownTask(ports, id);
  if (hasEnded(task)) await cleanEnded(ports, task);
  else await closeTrees(ports, task);
}

/** Whether the workspace of an ended task can be removed. That of a failed task is kept for a week, for inspection. */
export async function isDue(ports: CleanUpPorts, task: Task): Promise<boolean> {
  // The work of a variant has a ref, and its task goes on elsewhere.
  if (task.options.variantOf !== undefined) return true;
  if (task.status !== "failed" || ports.clock.now() - (task.finishedAt ?? 0) >= KEEP_FAILED_MS) return true;
  return hasGivenUp(task) && (await policyOf(ports, task)).unpublished === "remove";
}

/** The task ended without publishing because its list, the night or the budget was used up. Its last try has a rescue ref. */
function hasGivenUp({ state, outcome }: Task): boolean {
  return outcome === state || ["night_over", "budget_exhausted"].includes(outcome ?? "");
}

/** Removes everything except the workspace of a recently failed task. Unpublished work is kept as a rescue ref. */
async function cleanEnded(ports: EnginePorts, task: Task): Promise<void> {
  // Iterates over runs, not trees: on a full disk a run may have directories but no tree.
  for (const { id } of await ports.store.tasks.listRuns({
    task: task.id,
    status: null,
    project: null,
    limit: MAX_RUNS,
  }))
    await endRun(ports, id);
  const hasSecrets = await hadSecrets(ports, task);
  if (!hasSecrets) await rescue(ports, task);
  await ports.runFiles.cleanTask(task.id);
  if (hasSecrets || (await isDue(ports, task))) return ports.workspaces.remove(task.id);
  // The rest is kept for inspection, and nothing has ever run in a prepared tree.
  for (const name of await ports.workspaces.trees(task.id))
    if (isPreparedTree(name)) await ports.workspaces.close(task.id, name);
}

/** Removes the trees of ended runs, except for one that the next run may reuse. */
async function closeTrees(ports: EnginePorts, task: Task): Promise<void> {
  // List the trees first, so that the list has no tree of a run that starts later.
  const names = await ports.workspaces.trees(task.id);
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: MAX_RUNS });
  const untouched = findUntouchedTree(runs);
  const next = findNextRun(runs);
  const kept = next === undefined ? null : next.step === "checks" ? findPreparedTree(runs) : untouched;
  // A reused tree was renamed, so the run that it came from may not have been cleaned up yet.
  if (untouched !== null && !names.includes(untouched)) await endRun(ports, untouched);
  for (const name of names) {
    if (runs.some(({ id, finishedAt }) => finishedAt === null && id === runOfTree(name))) continue;
    // The tree is removed last, so that a cleanup that crashed in between is repeated.
    await endRun(ports, runOfTree(name));
    if (name !== kept) await ports.workspaces.close(task.id, name);
  }
}

/** A task that waits for a person or a later time may wait for weeks, so no tree is kept for it. */
function findNextRun(runs: readonly Run[]): Run | undefined {
  return runs.find(({ finishedAt, notBefore }) => finishedAt === null && notBefore === null);
}

async function removeUnknownTask(ports: EnginePorts, id: string): Promise<void> {
  for (const name of await ports.workspaces.trees(id)) await endRun(ports, runOfTree(name));
  await ports.workspaces.remove(id);
}

/** Also ends a supervisor that was started at the moment its run was ended. */
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
