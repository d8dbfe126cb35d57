import { expect, test } from "vitest";
import type { BudgetJson } from "../../http/client/client.ts";
import { describeBudget } from "./budgets.ts";

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
