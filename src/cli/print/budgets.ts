import { describeUse, usdWords } from "../../core/money/budget-words.ts";
import type { BudgetJson } from "../../http/client/client.ts";

/** Example: `tonight in shop: $12.40 by 3 runs, $5 reserved by 1 running; the limit is $20`. */
export function describeBudget(budget: BudgetJson): string {
  const when = budget.window === "night" ? "tonight" : "this month";
  const whose = budget.project === null ? "" : ` in ${budget.project}`;
  const use = describeUse({
    spentUsd: budget.spent_usd,
    runs: budget.runs,
    unknownRuns: budget.unknown_cost,
    reservedUsd: budget.reserved_usd,
    running: budget.running,
  });
  return `${when}${whose}: ${use}; the limit is ${usdWords(budget.limit_usd)}`;
}
