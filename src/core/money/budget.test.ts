import { describe, expect, it } from "vitest";
import {
  allow,
  leftForTask,
  limitsAt,
  monthOf,
  nightOf,
  type BudgetLimit,
  type BudgetUse,
  type UsedLimit,
  type BudgetWindow,
} from "./budget.ts";
import { describeRefusal, describeSpentTask, describeUncounted, usdWords } from "./budget-words.ts";

const at = (moment: string): number => Date.parse(moment);
const iso = ({ since, until }: BudgetWindow): readonly string[] =>
  [since, until].map((each) => new Date(each).toISOString());

describe("budget: a night", () => {
  it.each([
    ["in the evening", "2026-11-15T21:00:00Z", "2026-11-15T11:00:00.000Z", "2026-11-16T11:00:00.000Z"],
    ["in the morning", "2026-11-16T05:00:00Z", "2026-11-15T11:00:00.000Z", "2026-11-16T11:00:00.000Z"],
    ["a moment before noon", "2026-11-16T10:59:59.999Z", "2026-11-15T11:00:00.000Z", "2026-11-16T11:00:00.000Z"],
    ["at noon", "2026-11-16T11:00:00Z", "2026-11-16T11:00:00.000Z", "2026-11-17T11:00:00.000Z"],
    // One hour shorter, and one hour longer.
    ["when the clock goes forward", "2026-03-29T00:30:00Z", "2026-03-28T11:00:00.000Z", "2026-03-29T10:00:00.000Z"],
    ["when the clock goes back", "2026-10-25T00:30:00Z", "2026-10-24T10:00:00.000Z", "2026-10-25T11:00:00.000Z"],
  ])("lasts from noon to noon %s", (_when, moment, since, until) => {
    expect(iso(nightOf(at(moment), "Europe/Paris"))).toEqual([since, until]);
  });

  it("follows the previous one without a gap, all year", () => {
    let now = at("2026-01-01T15:00:00Z");
    for (let nights = 0; nights < 366; nights += 1) {
      const { since, until } = nightOf(now, "America/Santiago");
      expect(since <= now && now < until).toBe(true);
      expect(nightOf(until - 1, "America/Santiago")).toEqual({ since, until });
      expect(nightOf(until, "America/Santiago").since).toBe(until);
      now = until;
    }
  });
});

it.each([
  ["2026-02-28T22:59:59Z", "2026-01-31T23:00:00.000Z", "2026-02-28T23:00:00.000Z"],
  ["2026-02-28T23:00:00Z", "2026-02-28T23:00:00.000Z", "2026-03-31T22:00:00.000Z"],
  ["2026-12-31T12:00:00Z", "2026-11-30T23:00:00.000Z", "2026-12-31T23:00:00.000Z"],
])("budget: a month starts in the time zone: %s", (moment, since, until) => {
  expect(iso(monthOf(at(moment), "Europe/Paris"))).toEqual([since, until]);
});

const NOBODY = { nightUsd: null, monthUsd: null, timeZone: "UTC" };

describe("budget: limits", () => {
  const now = at("2026-11-15T21:00:00Z");
  const of = (budget: Partial<BudgetLimits>, all: Partial<typeof NOBODY | BudgetLimits>, timeZone = "UTC") =>
    limitsAt({
      project: "shop",
      timeZone,
      budget: { nightUsd: null, monthUsd: null, ...budget },
      commonBudget: { ...NOBODY, ...all },
      at: now,
    }).map(({ window, project, usd }) => [window, project, usd]);
  interface BudgetLimits {
    readonly nightUsd: number | null;
    readonly monthUsd: number | null;
  }

  it("are those that are set, for the project and for all projects", () => {
    expect(of({}, {})).toEqual([]);
    expect(of({ nightUsd: 5, monthUsd: 60 }, { nightUsd: 20 })).toEqual([
      ["night", "shop", 5],
      ["month", "shop", 60],
      ["night", null, 20],
    ]);
  });

  it("omit a project limit that is not below the limit for all projects", () => {
    expect(of({ nightUsd: 20, monthUsd: 60 }, { nightUsd: 20, monthUsd: 70 })).toEqual([
      ["month", "shop", 60],
      ["night", null, 20],
      ["month", null, 70],
    ]);
    // A different noon, so a different night.
    expect(of({ nightUsd: 20 }, { nightUsd: 20 }, "Asia/Tokyo")).toEqual([
      ["night", "shop", 20],
      ["night", null, 20],
    ]);
  });
});

function used(limit: Partial<BudgetLimit>, use: Partial<BudgetUse> = {}): UsedLimit {
  return {
    limit: { window: "night", project: "shop", usd: 20, timeZone: "UTC", since: 0, until: 10, ...limit },
    use: { spentUsd: 0, runs: 0, unknownRuns: 0, reservedUsd: 0, running: 0, ...use },
  };
}

describe("budget: allowance of a run", () => {
  it("is the requested amount, or what the tightest limit leaves", () => {
    expect(allow([], null)).toEqual({ kind: "allowed", usd: null });
    expect(allow([], 5)).toEqual({ kind: "allowed", usd: 5 });
    expect(allow([used({}, { spentUsd: 3 })], 5)).toEqual({ kind: "allowed", usd: 5 });
    expect(allow([used({}, { spentUsd: 15.1, reservedUsd: 4.2 })], 5)).toEqual({ kind: "allowed", usd: 0.7 });
    const month = used({ window: "month", usd: 100 }, { spentUsd: 99.5 });
    expect(allow([used({}), month], null)).toEqual({ kind: "allowed", usd: 0.5 });
  });

  it("is refused if a limit is spent, with the limit that resets last", () => {
    const night = used({}, { spentUsd: 20.5 });
    const month = used({ window: "month", until: 99 }, { spentUsd: 20 });
    expect(allow([night], 5)).toEqual({ kind: "spent", by: night });
    expect(allow([night, month], 5)).toEqual({ kind: "spent", by: month });
    expect(allow([month, night], 5)).toEqual({ kind: "spent", by: month });
  });

  it("is refused for now if running runs have reserved the rest", () => {
    const night = used({}, { spentUsd: 12, reservedUsd: 8, running: 2 });
    expect(allow([night], 5)).toEqual({ kind: "reserved", by: night });
    // A spent limit has priority over a reserved one.
    const month = used({ window: "month" }, { spentUsd: 20 });
    expect(allow([night, month], 5)).toEqual({ kind: "spent", by: month });
  });

  it("is refused below one cent, unless less was requested", () => {
    const night = used({}, { spentUsd: 19.995 });
    expect(allow([night], 5)).toEqual({ kind: "spent", by: night });
    expect(allow([night], null)).toEqual({ kind: "spent", by: night });
    expect(allow([night], 0.002)).toEqual({ kind: "allowed", usd: 0.002 });
  });
});

describe("budget: remaining amount of a task", () => {
  it.each([
    [null, [3], null, false],
    [15, [], 15, false],
    [15, [0.1, 0.2, null], 14.7, false],
    [15, [15], 0, true],
    [15, [14.995], 0.005, true],
    [15, [16], -1, true],
    [0.005, [], 0.005, false],
    [0, [], 0, true],
  ] as const)("of %j after %j is %j", (limit, costs, leftUsd, isSpent) => {
    expect(leftForTask(limit, costs)).toEqual({ leftUsd, isSpent });
  });
});

describe("budget: messages", () => {
  const until = at("2026-11-16T11:00:00Z");
  const full = { spentUsd: 19.8, runs: 14, unknownRuns: 2, reservedUsd: 0.5, running: 1 };

  it("a spent limit shows the use and when it resets", () => {
    expect(describeRefusal("spent", used({ until, timeZone: "Europe/Paris" }, full))).toBe(
      "the night's budget of $20 (budget.night_usd) is spent ($19.80 by 14 runs, $0.50 reserved by 1 running, 2 runs of unknown cost not counted); it resets at 12:00 on 2026-11-16 (Europe/Paris)",
    );
    const month = used({ window: "month", project: null, usd: 0.5, until }, { spentUsd: 0.6, runs: 1 });
    expect(describeRefusal("spent", month)).toBe(
      "the month's budget of $0.50 for all projects (budget.month_usd) is spent ($0.60 by 1 run); it resets at 11:00 on 2026-11-16 (UTC)",
    );
  });

  it("a reserved limit shows what it waits for", () => {
    expect(describeRefusal("reserved", used({}, { spentUsd: 12, runs: 3, reservedUsd: 8, running: 2 }))).toBe(
      "the night's budget of $20 (budget.night_usd) is reserved ($12 by 3 runs, $8 reserved by 2 running); unused amounts become available when those runs end",
    );
  });

  it("a spent task says what a person can do", () => {
    expect(describeSpentTask({ limitUsd: 15, costs: [10, 0, 5.5, null], isOwn: false })).toBe(
      "the task's budget of $15 is spent ($15.50 by 2 runs, 1 run of unknown cost not counted): raise budget.task_usd to continue",
    );
    expect(describeSpentTask({ limitUsd: 1, costs: [1], isOwn: true })).toContain("submitted with this budget");
  });

  it("an unknown cost names the limits", () => {
    expect(describeUncounted(["budget.night_usd", "budget.month_usd"])).toBe(
      "the cost of this run is unknown, so it does not count towards budget.night_usd and budget.month_usd and spending may exceed them",
    );
  });

  it.each([
    [0, "$0"],
    [20, "$20"],
    [0.5, "$0.50"],
    [0.004, "less than $0.01"],
  ])("formats %d as %s", (usd, words) => {
    expect(usdWords(usd)).toBe(words);
  });
});
