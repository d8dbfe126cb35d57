import { Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import type { CostsJson } from "../../../../../src/http/client/client.ts";
import { formatDay, formatMoney } from "../../../ui/format.ts";
import { ScrollArea } from "../../../ui/scroll-area.tsx";
import { TableToggle } from "../../../ui/table-toggle.tsx";
import { CostChart } from "./cost-chart.tsx";
import { DIVISIONS, type Division, stackCosts, type StackedCosts } from "./stack-costs.ts";

const WIDE = 920;
const NARROW = 358;
/** More bars are too thin on a phone. */
const PHONE_DAYS = 14;

const LABELS: Readonly<Record<Division, string>> = {
  project: "Project",
  pipeline: "Pipeline",
  role: "Role",
  agent: "Agent",
  model: "Model",
};

export interface CostByDayProps {
  readonly costs: CostsJson;
  readonly by: Division;
  readonly search: Readonly<Record<string, string | undefined>>;
}

/** What each day cost, as bars and as a table. */
export function CostByDay({ costs, by, search }: CostByDayProps) {
  const [isTable, setTable] = useState(false);
  const tableId = useId();
  const stacked = stackCosts(costs, by);
  return (
    <section className="by-day" aria-label="Cost by day">
      <div className="chart-head">
        <h2>Cost by day</h2>
        <Legend costs={stacked} />
        <span className="end flex wrap">
          <nav className="seg" aria-label="Divide by">
            {DIVISIONS.map((each) => (
              <Link
                key={each}
                to="/costs"
                search={{ ...search, by: each }}
                replace
                aria-current={each === by ? "true" : undefined}
              >
                {LABELS[each]}
              </Link>
            ))}
          </nav>
          <TableToggle isOpen={isTable} controls={tableId} label="Table" onChange={setTable} />
        </span>
      </div>
      <div className="hide-sm">
        <CostChart costs={stacked} by={by} width={WIDE} />
      </div>
      <div className="show-sm">
        <CostChart costs={{ ...stacked, days: stacked.days.slice(-PHONE_DAYS) }} by={by} width={NARROW} />
        {stacked.days.length > PHONE_DAYS && (
          <p className="hint">The last {PHONE_DAYS} days. The sums above are those of the whole period.</p>
        )}
      </div>
      <div id={tableId} hidden={!isTable}>
        {isTable && <CostTable costs={stacked} />}
      </div>
    </section>
  );
}

function Legend({ costs: { series } }: { costs: StackedCosts }) {
  return (
    <div className="legend">
      {series.map(({ name, usd }, index) => (
        <span key={name}>
          <i className={`dot s${index + 1}`} />
          <span dir="auto">
            {name} {formatMoney(usd)}
          </span>
        </span>
      ))}
    </div>
  );
}

function CostTable({ costs: { series, days } }: { costs: StackedCosts }) {
  const hasUnknown = days.some(({ unknown }) => unknown > 0);
  return (
    <ScrollArea label="Cost by day as a table" className="tall">
      <table>
        <thead>
          <tr>
            <th>Day</th>
            {series.map(({ name }) => (
              <th key={name} className="num" dir="auto">
                {name}
              </th>
            ))}
            <th className="num">Sum</th>
            {hasUnknown && <th className="num">Runs of unknown cost</th>}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, parts, usd, unknown }) => (
            <tr key={day}>
              <td className="nowrap">{formatDay(day, "UTC")}</td>
              {series.map(({ name }, index) => (
                <td key={name} className="num">
                  {formatMoney(parts[index] ?? 0)}
                </td>
              ))}
              <td className="num">{formatMoney(usd)}</td>
              {hasUnknown && <td className="num">{unknown}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}
