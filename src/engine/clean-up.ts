import { hasEnded, type Task } from "../core/task.ts";
import type { EnginePorts } from "./ports.ts";
import type { StepContext } from "./steps/step.ts";

const KEEP_FAILED_MS = 7 * 24 * 60 * 60 * 1000;

/** Best effort: whatever stays behind here, reconcile finds. */
export async function cleanUpAfterRun(context: StepContext, task: Task): Promise<void> {
  const { ports, run } = context;
  try {
    await ports.runFiles.cleanRun(run.id);
    if (hasEnded(task)) await cleanUpTask(ports, task);
    else await closeTrees(ports, task, []);
  } catch (error) {
    ports.log.warn("cleaning up failed; it is tried again", { run: run.id, error: String(error) });
  }
}

/** What an ended task leaves: nothing, or for a failed one its workspace for a week. Unpublished work is kept as a rescue ref first. */
export async function cleanUpTask(ports: EnginePorts, task: Task): Promise<void> {
  if (task.status !== "succeeded") await rescue(ports, task);
  for (const name of await treesOf(ports, task)) await ports.runFiles.cleanRun(runOfTree(name));
  await ports.runFiles.cleanTask(task.id);
  if (isDue(ports, task)) await ports.workspaces.remove(task.id);
}

/** A failed task's workspace is kept for a week, for people to look at. */
export function isDue(ports: Pick<EnginePorts, "clock">, task: Task): boolean {
  return task.status !== "failed" || ports.clock.now() - (task.finishedAt ?? 0) >= KEEP_FAILED_MS;
}

/** Each run gets a tree of its own, so those of ended runs serve nobody. */
export async function closeTrees(ports: EnginePorts, task: Task, open: readonly string[]): Promise<void> {
  const runs = await ports.store.listRuns({ task: task.id, status: null, project: null, limit: 1000 });
  const live = new Set([...open, ...runs.filter(({ finishedAt }) => finishedAt === null).map(({ id }) => id)]);
  for (const name of await treesOf(ports, task)) {
    if (live.has(runOfTree(name))) continue;
    // The tree goes last: as long as it stands, a crash in between is found.
    await ports.runFiles.cleanRun(runOfTree(name));
    await ports.workspaces.close(task.id, name);
  }
}

async function treesOf(ports: EnginePorts, task: Task): Promise<readonly string[]> {
  return (await ports.workspaces.list()).find((entry) => entry.task === task.id)?.names ?? [];
}

/** Trees are named after their run, with a suffix where a run needs more than one. */
export function runOfTree(name: string): string {
  return name.split(".")[0] ?? name;
}

async function rescue(ports: EnginePorts, task: Task): Promise<void> {
  if (task.headCommit === null || task.headCommit === task.baseCommit) return;
  try {
    await ports.workspaces.rescue(task.project, task.id, task.headCommit);
  } catch (error) {
    ports.log.warn("the work of an ended task could not be kept as a rescue ref", { task: task.id, error: String(error) });
  }
}
