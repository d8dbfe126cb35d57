import type { Task } from "../../../core/task/task.ts";
import type { EnginePorts } from "../../ports.ts";

const MAX_RUNS = 1_000;

/** The change of the newest run that made one, as it was kept for people: without secrets. Null if there is none. */
export async function readNewestDiff(
  { store, runFiles }: Pick<EnginePorts, "store" | "runFiles">,
  { id }: Pick<Task, "id">,
): Promise<string | null> {
  const runs = await store.tasks.listRuns({ task: id, status: null, project: null, limit: MAX_RUNS });
  for (const run of runs.toReversed()) {
    const patch = await runFiles.readDiff(run.id);
    if (patch !== null) return patch;
  }
  return null;
}
