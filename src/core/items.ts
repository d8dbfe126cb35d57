import type { Outcome } from "./outcome.ts";
import type { Items, TriedItem } from "./task.ts";

/** The item that the list stands at came to nothing. A list without items has nothing to give up. */
export function giveUpItem(items: Items, outcome: Outcome): Items {
  const item = items.list[items.at];
  if (item === undefined) return items;
  const scanned = outcome.payload["files_scanned"];
  const reason = outcome.payload["reason"];
  const tried: TriedItem = {
    item,
    outcome: outcome.name,
    reason: typeof reason === "string" ? reason : outcome.summary,
    filesScanned: typeof scanned === "number" ? scanned : null,
  };
  return { ...items, tried: [...items.tried, tried] };
}

/** A line for each, `tests: nothing left to cover (312 files)`. */
export function describeTried(tried: readonly TriedItem[]): string {
  return tried
    .map(({ filesScanned, ...each }) => `${tellTried(each)}${filesScanned === null ? "" : ` (${filesScanned} files)`}`)
    .join("\n");
}

/** On one line: a reason may be the findings of a check, a line each. */
export function tellTried({ item, reason }: Pick<TriedItem, "item" | "reason">): string {
  return `${item}: ${reason.trim().replaceAll(/\s*\n\s*(?:- )?/g, " ")}`;
}
