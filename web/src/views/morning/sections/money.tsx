import { Link } from "@tanstack/react-router";
import type { ReportJson } from "../../../../../src/http/client/client.ts";
import { BudgetMeter } from "../../../ui/budget-meter.tsx";
import { formatMoney, plural } from "../../../ui/format.ts";
import { Section } from "../../../ui/section.tsx";

/** What the night cost, by agent, and how much of each budget is used. */
export function MoneySection({ money, isCurrent }: { money: ReportJson["money"]; isCurrent: boolean }) {
  const { costs } = money;
  // Budgets are those of now, also in the report of an earlier night.
  const budgets = isCurrent ? money.budgets : [];
  const { runs, cost_usd: usd, unknown_cost: unknown } = costs.total;
  const agents = costs.rows.map(({ agent, cost_usd }) => `${agent ?? "unknown agent"} ${formatMoney(cost_usd)}`);
  return (
    <Section anchor="money" title="Money" hint="From noon to noon">
      <div className="money">
        {budgets.map((budget) => (
          <BudgetMeter key={`${budget.window} ${budget.project ?? ""}`} budget={budget} />
        ))}
        <p className="muted">
          <b className="strong">{formatMoney(runs === 0 ? 0 : usd)}</b> for {plural(runs, "agent run")}
          {agents.length > 0 && <span dir="auto">: {agents.join(", ")}</span>}.{" "}
          <span className="faint">
            {unknown > 0
              ? `${plural(unknown, "run")} of unknown cost ${unknown === 1 ? "is" : "are"} not in the sum.`
              : runs > 0 && "Every run has a known cost."}
          </span>
        </p>
        <p>
          <Link className="link" to="/costs">
            Costs and quality
          </Link>
        </p>
      </div>
    </Section>
  );
}
