import type { Task } from "../../core/task/task.ts";
import type { MergeOrder } from "../../engine/merge/merge-order.ts";
import type { MergeOrderJson } from "../contract/merge-order.ts";
import type { HttpDeps } from "../deps.ts";

type MergeOrderDeps = Pick<HttpDeps, "mergeOrder" | "store" | "log">;

export async function showMergeOrder(deps: MergeOrderDeps, project: string): Promise<MergeOrderJson | null> {
  const order = await deps.mergeOrder(project);
  return order === null ? null : await viewMergeOrder(deps, order);
}

/** The merge order that a task is part of. Null if it is not, or if its branches cannot be compared at the moment. */
export async function showMergeOrderOf(deps: MergeOrderDeps, task: Task): Promise<MergeOrderJson | null> {
  if (task.published == null || ["failed", "cancelled"].includes(task.status) || task.outcome === "merged") return null;
  try {
    const order = await showMergeOrder(deps, task.project);
    return order?.branches.some((branch) => branch.task === task.id) === true ? order : null;
  } catch (error) {
    deps.log.warn("the merge order cannot be found", { project: task.project, error: String(error) });
    return null;
  }
}

async function viewMergeOrder({ store }: MergeOrderDeps, order: MergeOrder): Promise<MergeOrderJson> {
  const ids = order.branches.map(({ branch }) => branch.task);
  const shortIds = await store.tasks.shortenIds("task", ids);
  return {
    target: order.target,
    branches: order.branches.map(({ branch: { task, title, branch, commit, targetConflicts }, conflicts }) => ({
      task,
      short_id: shortIds.get(task) ?? task,
      title,
      branch,
      commit,
      target_conflicts: [...targetConflicts],
      conflicts: conflicts.map((conflict) => ({ task: conflict.task, files: [...conflict.files] })),
    })),
    left_out: order.leftOut,
  };
}
