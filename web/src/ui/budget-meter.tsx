import type { BudgetJson } from "../../../src/http/client/client.ts";
import { formatMoney } from "./format.ts";
import { Meter } from "./meter.tsx";

/** How much of a budget is spent and reserved, in numbers and as a bar. */
export function BudgetMeter({ budget }: { budget: BudgetJson }) {
  const { spent_usd: spent, reserved_usd: reserved, limit_usd: limit, project } = budget;
  const sentence = `${formatMoney(spent)} spent${reserved > 0 ? `, ${formatMoney(reserved)} reserved` : ""}, of ${formatMoney(limit)}`;
  return (
    <div className="budget">
      <div className="flex">
        <span dir="auto">
          {describeWindow(budget)}, {project ?? "all projects"}
        </span>
        <span className="muted num end">
          <b className="strong">{formatMoney(spent)}</b> spent
          {reserved > 0 && `, ${formatMoney(reserved)} reserved`}, of {formatMoney(limit)}
          {spent > limit && <span className="c-red">, over the limit</span>}
        </span>
      </div>
      <Meter spent={spent} reserved={reserved} limit={limit} label={sentence} />
    </div>
  );
}

function describeWindow({ window, since, time_zone: timeZone }: BudgetJson): string {
  if (window === "night") return "Tonight";
  return new Date(since).toLocaleDateString("en-GB", { month: "long", timeZone });
}
