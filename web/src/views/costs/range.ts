/** A period that the page can show, as it is written in the address. */
export const RANGES = ["7d", "30d", "month"] as const;
export type Range = (typeof RANGES)[number];

export const RANGE_WORDS: Readonly<Record<Range, string>> = { "7d": "7 days", "30d": "30 days", month: "This month" };

export interface Period {
  /** As the API takes it. */
  readonly since: string;
  readonly nights: number;
}

/** `today`: as `YYYY-MM-DD`. */
export function periodOf(range: Range, today: string): Period {
  if (range === "month") return { since: `${today.slice(0, 7)}-01`, nights: Number(today.slice(8)) };
  return { since: range, nights: Number.parseInt(range, 10) };
}

/** Anything else in the address means the default. */
export function parseRange(text: string | undefined): Range {
  return RANGES.find((range) => range === text) ?? "30d";
}
