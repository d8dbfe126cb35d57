import { restartsList } from "../../core/pipeline/items.ts";
import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import type { Task } from "../../core/task/task.ts";
import type { EnginePorts } from "../ports.ts";
import { hadSecrets } from "./had-secrets.ts";

/**
 * Why a task with a list cannot be retried from this state. Null if it can, and for tasks without a list. An item needs a
 * selection by its own analysis, not by the analysis of an earlier item.
 */
export async function findRetryProblem(
  ports: EnginePorts,
  pipeline: Pipeline,
  task: Task,
  state: string,
): Promise<string | null> {
  const { items, baseCommit, headCommit } = task;
  if (items === null || restartsList(pipeline, state)) return null;
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: 1000 });
  const analysis = runs.findLast(({ role }) => role === "analyze");
  if (analysis?.outcome !== "improvement_found") return `nothing was selected for "${items.list[items.at] ?? ""}"`;
  if (pipeline.states[state]?.workspace === "fresh") return null;
  if (headCommit === null || headCommit === baseCommit) return "there is no change to continue with";
  return (await hadSecrets(ports, task)) ? "a secret was found in its changes, so they were deleted" : null;
}
