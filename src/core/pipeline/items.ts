import type { Outcome } from "../outcomes/outcome.ts";
import type { Pipeline } from "./pipeline.ts";
import type { Items, Task, TriedItem } from "../task/task.ts";

export function walksList({ items }: Pick<Task, "items">): boolean {
  return items !== null;
}

/** The item that the list stands at came to nothing. A list without items has nothing to give up. */
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

/** Whoever takes the next item finds the base: what the last one came to is in nobody's way, and its branch is not theirs. */
export function withoutWork(task: Task): Task {
  return task.items === null ? task : { ...task, branch: null, headCommit: task.baseCommit };
}

/** Every item begins with its analysis: to analyse again is to walk the list again. */
export function restartsList({ start, states }: Pipeline, state: string): boolean {
  const step = states[state]?.step;
  return state === start || (step?.kind === "agent" && step.role === "analyze");
}

/** The whole list once more, as if nothing had been tried. */
export function restartList(task: Task): Task {
  return task.items === null ? task : { ...withoutWork(task), items: { ...task.items, at: 0, tried: [] } };
}

/** The item that the list stands at has another chance; it is told of once, whatever becomes of it. */
export function retryItem(task: Task): Task {
  const { items } = task;
  return items === null ? task : { ...task, items: { ...items, tried: items.tried.slice(0, items.at) } };
}

/** An item of the list that was more than analysed is given up. */
export function hasGivenUpItem(before: Pick<Task, "items">, after: Pick<Task, "items">): boolean {
  const newest = after.items?.tried.at(-1);
  return after.items?.tried.length !== before.items?.tried.length && newest?.outcome !== "no_improvement";
}

/** All of the list was tried: an item that is under way is not among those given up. */
export function isListDone({ items }: Pick<Task, "items">): boolean {
  return items !== null && items.tried.length > items.at;
}

/** A line for each, `tests: nothing left to cover (312 files)`. */
export function describeTried(tried: readonly TriedItem[]): string {
  return tried
    .map(
      ({ filesScanned, ...each }) =>
        `${describeTriedItem(each)}${filesScanned === null ? "" : ` (${filesScanned} files)`}`,
    )
    .join("\n");
}

/** On one line: a reason may be the findings of a check, a line each. */
export function describeTriedItem({ item, reason }: Pick<TriedItem, "item" | "reason">): string {
  return `${item}: ${reason.trim().replaceAll(/\s*\n\s*(?:- )?/g, " ")}`;
}
