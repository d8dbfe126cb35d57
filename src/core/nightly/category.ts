/** What a night improves, in the order in which the others are tried when the scheduled ones have nothing. */
export const CATEGORIES = ["tests", "refactoring", "docs", "security", "performance"] as const;
export type Category = (typeof CATEGORIES)[number];

export const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The scheduled ones first, then the others in their fixed order; nothing where nothing is scheduled. */
export function categoriesToTry(scheduled: readonly Category[]): readonly Category[] {
  if (scheduled.length === 0) return [];
  return [...new Set([...scheduled, ...CATEGORIES])];
}

/** `refactoring`, or `refactoring (fallback from tests)` once the scheduled ones had nothing. */
export function categoryLabel(items: {
  readonly list: readonly string[];
  readonly at: number;
  readonly scheduled: number;
}): string {
  const name = items.list[items.at] ?? "";
  if (items.at < items.scheduled) return name;
  return `${name} (fallback from ${items.list.slice(0, items.scheduled).join(", ")})`;
}

/** The weekday at that moment, where people are. */
export function weekdayAt(at: number, timeZone: string): Weekday {
  const name = new Intl.DateTimeFormat("en", { timeZone, weekday: "long" }).format(at).toLowerCase();
  const weekday = WEEKDAYS.find((each) => each === name);
  if (weekday === undefined) throw new TypeError(`"${name}" is no weekday`);
  return weekday;
}
