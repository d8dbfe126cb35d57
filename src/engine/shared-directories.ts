import { readExecutionPlan, writableDirectories } from "../core/outcomes/execution-plan.ts";
import type { NextRun } from "../core/pipeline/advance/advance.ts";
import { isInPlace } from "../core/task/in-place.ts";
import { hasEnded, type Task } from "../core/task/task.ts";
import { placeDirectories } from "../policy/access/grant.ts";
import { covers } from "../policy/access/path-rules.ts";
import type { FoundOverlap } from "./overlap.ts";
import type { EnginePorts } from "./ports.ts";
import { listAllTasks } from "./task-pages.ts";

type ReadDirectories = Pick<EnginePorts, "store" | "sandbox">;

/** Whether the run carries out a plan, which can make a person's own directories writable. */
export function isExecution(next: Pick<NextRun, "role"> | null): boolean {
  return next?.role === "execute";
}

/**
 * The oldest task that is carrying out a plan and writes to the same directories, in any project. A paused one counts too,
 * because its agent continues where it stopped. Directories of a workspace are not shared with other tasks.
 */
export async function findSharedDirectories(ports: ReadDirectories, task: Task): Promise<FoundOverlap | null> {
  const mine = await listSharedDirectories(ports, task);
  if (mine.length === 0) return null;
  const planned = await listAllTasks(ports, { status: ["queued", "running", "paused"], hasPlan: true });
  for (const other of planned.toReversed()) {
    if (other.id === task.id || hasEnded(other) || other.queuedFor?.overlap !== undefined) continue;
    if (!(await isExecuting(ports, other.id))) continue;
    const theirs = await listSharedDirectories(ports, other);
    const files = mine.filter((path) => theirs.some((each) => covers(each, path) || covers(path, each)));
    if (files.length > 0) return { other, files };
  }
  return null;
}

/** What the task's plan makes writable outside of a workspace: absolute paths without links. */
async function listSharedDirectories({ store, sandbox }: ReadDirectories, task: Task): Promise<readonly string[]> {
  const plan = readExecutionPlan(task.plan);
  if (plan === null) return [];
  const root = (await store.projects.getProject(task.project))?.path ?? "/project";
  const { isWhole, inside, outside } = placeDirectories({ root, directories: writableDirectories(plan) });
  const own = isInPlace(task) ? [...(isWhole ? [root] : []), ...inside.map((path) => `${root}/${path}`)] : [];
  return [...own, ...outside].map((path) => sandbox.resolvePath(path));
}

async function isExecuting({ store }: ReadDirectories, task: string): Promise<boolean> {
  const open = ["queued", "starting", "running", "paused"] as const;
  const runs = await store.tasks.listRuns({ task, status: open, project: null, limit: 1 });
  return runs.some(isExecution);
}
