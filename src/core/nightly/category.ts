import { hasEnded, type Items, type Task } from "../task/task.ts";

/** Improvement categories, in the order in which they are tried when the scheduled ones yield nothing. */
export const CATEGORIES = ["tests", "refactoring", "docs", "security", "performance"] as const;
export type Category = (typeof CATEGORIES)[number];

export const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The scheduled categories, then the others in their fixed order. Empty if none is scheduled. */
export function categoriesToTry(scheduled: readonly Category[]): readonly Category[] {
  if (scheduled.length === 0) return [];
  return [...new Set([...scheduled, ...CATEGORIES])];
}

/** The task's current category; null if its pipeline has no categories. */
export function currentCategory({ items }: Pick<Task, "items">): { name: Category; label: string } | null {
  const name = CATEGORIES.find((each) => each === items?.list[items.at]);
  return items === null || name === undefined ? null : { name, label: categoryLabel(items) };
}

/** The task's current category, or for an ended task the categories it tried. */
export function describeCategory(task: Pick<Task, "items" | "state" | "status">): string | null {
  return hasEnded(task) ? describeWalk(task) : (currentCategory(task)?.label ?? null);
}

/** The category of the published change, or the categories that were tried without a result. */
export function describeWalk({ items, state }: Pick<Task, "items" | "state">): string | null {
  if (items === null) return null;
  if (state === "published") return categoryLabel(items);
  const scheduled = items.list.slice(0, items.scheduled).join(", ");
  const others = Math.min(items.at + 1, items.list.length) - items.scheduled;
  if (scheduled === "") return null;
  return others > 0 ? `${scheduled} and ${others} more` : scheduled;
}

/** `refactoring`, or `refactoring (fallback from tests)` if the scheduled categories yielded nothing. */
function categoryLabel(items: Items): string {
  const name = items.list[items.at] ?? "";
  if (!isFallback({ items })) return name;
  return `${name} (fallback from ${items.list.slice(0, items.scheduled).join(", ")})`;
}

/** The scheduled categories yielded nothing, so another one is or was tried. */
export function isFallback({ items }: Pick<Task, "items">): boolean {
  return items !== null && items.at >= items.scheduled;
}

/** The weekday at this time in the given time zone. */
export function weekdayAt(at: number, timeZone: string): Weekday {
  const name = new Intl.DateTimeFormat("en", { timeZone, weekday: "long" }).format(at).toLowerCase();
  const weekday = WEEKDAYS.find((each) => each === name);
  if (weekday === undefined) throw new TypeError(`"${name}" is not a weekday`);
  return weekday;
}
