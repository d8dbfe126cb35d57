import type { Outcome } from "../outcomes/outcome.ts";
import type { Pipeline } from "./pipeline.ts";
import type { Items, Task, TriedItem } from "../task/task.ts";

export function walksList({ items }: Pick<Task, "items">): boolean {
  return items !== null;
}

/** Records that the current item had no result. Does nothing if the list is empty. */
export function giveUpItem(items: Items, outcome: Outcome): Items {
  const item = items.list[items.at];
  if (item === undefined) return items;
  const found = outcome.name === "no_improvement" ? outcome.payload : null;
  const tried: TriedItem = {
    item,
    outcome: outcome.name,
    reason: found?.reason ?? outcome.summary,
    filesScanned: found?.files_scanned ?? null,
  };
  return { ...items, tried: [...items.tried, tried] };
}

/** Resets the task to the base commit without a branch, so that the next item does not build on the last one. */
export function discardWork(task: Task): Task {
  return task.items === null ? task : { ...task, branch: null, headCommit: task.baseCommit, published: null };
}

/** True if a retry from this state starts the list again. Each item begins with its analysis. */
export function restartsList({ start, states }: Pipeline, state: string): boolean {
  const step = states[state]?.step;
  return state === start || (step?.kind === "agent" && step.role === "analyze");
}

/** Goes back to the first item and forgets all results. */
export function restartList(task: Task): Task {
  return task.items === null ? task : { ...discardWork(task), items: { ...task.items, at: 0, tried: [] } };
}

/** Removes the current item's result, so that a retry records only one result for it. */
export function retryItem(task: Task): Task {
  const { items } = task;
  return items === null ? task : { ...task, items: { ...items, tried: items.tried.slice(0, items.at) } };
}

/** True if an item was given up after its analysis. */
export function hasGivenUpItem(before: Pick<Task, "items">, after: Pick<Task, "items">): boolean {
  const newest = after.items?.tried.at(-1);
  return after.items?.tried.length !== before.items?.tried.length && newest?.outcome !== "no_improvement";
}

/** True if every item was tried. An item in progress has no result yet. */
export function isListDone({ items }: Pick<Task, "items">): boolean {
  return items !== null && items.tried.length > items.at;
}

/** One line per item, such as `tests: nothing left to cover (312 files)`. */
export function describeTried(tried: readonly TriedItem[]): string {
  return tried
    .map(
      ({ filesScanned, ...each }) =>
        `${describeTriedItem(each)}${filesScanned === null ? "" : ` (${filesScanned} files)`}`,
    )
    .join("\n");
}

/** Joins the reason into one line, because it may be a multi-line list of findings. */
export function describeTriedItem({ item, reason }: Pick<TriedItem, "item" | "reason">): string {
  return `${item}: ${reason.trim().replaceAll(/\s*\n\s*(?:- )?/g, " ")}`;
}
