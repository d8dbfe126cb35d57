import type { Advance } from "../core/pipeline/advance/advance.ts";
import { isHeld } from "../core/task/dependencies.ts";
import { findSharedFiles, holdForFiles, isWorkOnFiles, plannedFiles } from "../core/task/overlap.ts";
import { CHANGING_ROLES } from "../core/task/role.ts";
import { HELD } from "../core/task/run.ts";
import type { Task } from "../core/task/task.ts";
import type { Lease } from "../ports/store.ts";
import type { EnginePorts } from "./ports.ts";
import { findSharedDirectories, isExecution } from "./shared-directories.ts";
import { listAllTasks } from "./task-pages.ts";

type ReadTasks = Pick<EnginePorts, "store" | "sandbox">;

/** Another task that works on files of this task's plan. */
export interface FoundOverlap {
  readonly other: Task;
  /** Files, or directories that both tasks write. */
  readonly files: readonly string[];
}

/** Whether the next run changes files that the task's plan names, so that it may have to wait for other tasks. */
export function mayOverlap({ task, next }: Advance): boolean {
  if (next?.role == null || next.notBefore === HELD) return false;
  if (isExecution(next)) return true;
  if (!CHANGING_ROLES.includes(next.role)) return false;
  return task.options.allowOverlap !== true && plannedFiles(task).length > 0;
}

/**
 * Holds the next run while another task of the project works on the same files. A task that was already working continues, so
 * that two tasks never wait for each other. `lease` is that of the run that just ended.
 */
export async function holdForOverlap(ports: ReadTasks, lease: Lease | null, advance: Advance): Promise<Advance> {
  if (advance.next === null || !mayOverlap(advance)) return advance;
  const ended = lease === null ? null : await ports.store.tasks.getRun(lease.run);
  if (ended !== null && (isWorkOnFiles(ended) || isExecution(ended))) return advance;
  const overlap = await findOverlap(ports, advance.task);
  if (overlap === null) return advance;
  const held = holdForFiles(advance.task, overlap, advance.task.updatedAt);
  return {
    ...advance,
    task: held.task,
    events: [...advance.events, ...held.events],
    next: { ...advance.next, notBefore: HELD },
  };
}

/** The oldest task that works on files of this task's plan. */
export async function findOverlap(ports: ReadTasks, task: Task): Promise<FoundOverlap | null> {
  return (await findSharedDirectories(ports, task)) ?? (await findSharedPlanFiles(ports, task));
}

/** Tasks that are held, paused, published or wait for a person do not count. */
async function findSharedPlanFiles(ports: ReadTasks, task: Task): Promise<FoundOverlap | null> {
  const mine = plannedFiles(task);
  if (mine.length === 0 || task.options.allowOverlap === true) return null;
  const { project } = task;
  const planned = await listAllTasks(ports, { project, status: ["queued", "running"], hasPlan: true });
  for (const other of planned.toReversed()) {
    if (isSameWork(task, other) || other.options.allowOverlap === true || isHeld(other)) continue;
    const files = findSharedFiles(mine, plannedFiles(other));
    if (files.length > 0 && (await isWorking(ports, other.id))) return { other, files };
  }
  return null;
}

/** The variants of a task change the same files in any case. */
function isSameWork(task: Task, other: Task): boolean {
  return (task.options.variantOf?.task ?? task.id) === (other.options.variantOf?.task ?? other.id);
}

async function isWorking({ store }: ReadTasks, task: string): Promise<boolean> {
  const open = ["queued", "starting", "running"] as const;
  const [run] = await store.tasks.listRuns({ task, status: open, project: null, limit: 1 });
  return run !== undefined && isWorkOnFiles(run);
}
