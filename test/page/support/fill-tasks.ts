import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open.ts";
import type { Task } from "../../../src/core/task/task.ts";
import { creating, sampleTask, SHUT, SILENT_LOG } from "../../../src/testing/store/samples.ts";

const PIPELINES = ["chore", "feature", "bug", "staged"];
const BUILTIN = join(import.meta.dirname, "../../../src/builtin/pipelines");

/** A task that waits or has ended, so that the daemon leaves it as it is. */
export type FilledTask = Partial<Task> & Pick<Task, "id" | "title" | "status" | "state">;

/** Writes tasks into the database of a user whose daemon is not running yet. */
export async function fillTasks(home: string, tasks: readonly FilledTask[]): Promise<void> {
  const store = await openSqliteStore({ file: join(home, "nightshift.db"), log: SILENT_LOG });
  for (const name of PIPELINES)
    await store.projects.keepPipeline(name, name, await readFile(join(BUILTIN, `${name}.yaml`), "utf8"));
  for (const given of tasks) await store.tasks.createTask({ ...creating(complete(given)), admission: SHUT });
  await store.close();
}

function complete(given: FilledTask): Task {
  const at = given.createdAt ?? Date.now();
  const isEnded = ["succeeded", "failed", "cancelled"].includes(given.status);
  const pipeline = given.pipeline ?? "chore";
  return sampleTask({
    description: given.title,
    pipeline,
    pipelineHash: pipeline,
    queuedFor: null,
    published: null,
    tags: [],
    documents: [],
    createdAt: at,
    updatedAt: at,
    finishedAt: isEnded ? at : null,
    ...given,
  });
}

/** Ended tasks, newest first, for lists of thousands. */
export function manyTasks(count: number, newest: number = Date.now()): readonly FilledTask[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `task_${String(count - index).padStart(10, "0")}`,
    title: `Old task ${count - index}`,
    status: index % 10 === 9 ? ("cancelled" as const) : ("succeeded" as const),
    state: index % 10 === 9 ? "cancelled" : "done",
    outcome: index % 10 === 9 ? "cancel" : "merged",
    createdAt: newest - index * 60_000,
  }));
}
