import { expect, test } from "vitest";
import type { BudgetJson, CostsJson } from "../../http/client/client.ts";
import { costsTsv, costsTable, describeBudget } from "./costs.ts";

const tokens = { input: 1_234_567, output: 89, cache_read: 0, cache_write: 12 };
const metered = { reported: 0, metered: 2, computed: 0, unknown: 0 };
const known = { runs: 2, cost_usd: 1.5, unknown_cost: 0, tokens, unknown_tokens: 0, basis: metered };
const unknown = {
  runs: 1,
  cost_usd: null,
  unknown_cost: 1,
  tokens: null,
  unknown_tokens: 1,
  basis: { ...metered, metered: 0, unknown: 1 },
};
const costs: CostsJson = {
  since: "2026-10-16T22:00:00.000Z",
  until: "2026-11-15T22:30:00.000Z",
  time_zone: "Europe/Paris",
  by: ["project", "model"],
  rows: [
    { project: "shop", model: "fast\u001b[2J", ...known },
    { project: "shop", model: null, ...unknown },
  ],
  total: {
    ...known,
    runs: 3,
    unknown_cost: 1,
    unknown_tokens: 1,
    basis: { ...metered, unknown: 1 },
  },
};

test("costs: the terminal table aligns numbers and marks unknown amounts", () => {
  expect(costsTable({ color: false }, costs)).toBe(
    [
      "PROJECT  MODEL  RUNS       INPUT   OUTPUT  CACHE READ  CACHE WRITE      COST  UNKNOWN  BASIS",
      "shop     fast      2   1,234,567       89           0           12   $1.5000        0  metered",
      "shop     –         1     unknown  unknown     unknown      unknown   unknown        1  unknown",
      "all                3  ≥1,234,567      ≥89          ≥0          ≥12  ≥$1.5000        1  metered 2, unknown 1",
      "2026-10-17 00:00 to 2026-11-15 23:30, Europe/Paris",
      "",
    ].join("\n"),
  );
});

test("costs: in a pipe, each row is one line of tab-separated unformatted numbers", () => {
  const lines = costsTsv(costs).split("\n");
  expect(lines).toEqual([
    "PROJECT\tMODEL\tRUNS\tINPUT\tOUTPUT\tCACHE READ\tCACHE WRITE\tCOST\tUNKNOWN\tBASIS",
    "shop\tfast\t2\t1234567\t89\t0\t12\t1.5\t0\tmetered",
    "shop\t–\t1\tunknown\tunknown\tunknown\tunknown\tunknown\t1\tunknown",
    "all\t\t3\t1234567\t89\t0\t12\t1.5\t1\tmetered 2, unknown 1",
    "",
  ]);
});

test("costs: a tiny amount is not printed as zero, and no runs are reported as none", () => {
  const tiny = { ...known, cost_usd: 0.000_000_7 };
  const some = { ...costs, by: ["project" as const], rows: [{ project: "shop", ...tiny }], total: tiny };
  expect(costsTable({ color: false }, some)).toContain("<$0.0001");
  expect(costsTsv(some)).toContain("\t0.0000007\t");
  const none = { ...costs, rows: [], total: { ...known, runs: 0, cost_usd: 0, basis: { ...metered, metered: 0 } } };
  expect(costsTable({ color: false }, none)).toContain("No agent run ended in this period");
  expect(costsTsv(none)).toContain("all\t\t0\t");
});

const budget: BudgetJson = {
  window: "night",
  project: null,
  limit_usd: 20,
  spent_usd: 12.4,
  reserved_usd: 5,
  runs: 3,
  running: 1,
  unknown_cost: 0,
  since: "2026-11-15T11:00:00.000Z",
  until: "2026-11-16T11:00:00.000Z",
  time_zone: "Europe/Paris",
};

test("budgets: a limit is printed with what was spent and reserved", () => {
  expect(describeBudget(budget)).toBe("tonight: $12.40 by 3 runs, $5 reserved by 1 running; the limit is $20");
  expect(describeBudget({ ...budget, window: "month", project: "shop", running: 0, unknown_cost: 2 })).toBe(
    "this month in shop: $12.40 by 3 runs, 2 runs of unknown cost not counted; the limit is $20",
  );
});
