import { useApi } from "../../api/queries.ts";
import { BudgetMeter } from "../../ui/budget-meter.tsx";
import { Loaded } from "../../ui/state.tsx";

/** How much of each limit is spent, and how much running runs may still spend. */
export function Budgets({ project }: { project: string | null }) {
  const query = useApi("GET /budgets", { query: project === null ? {} : { project } });
  return (
    <section aria-label="Budgets">
      <div className="chart-head">
        <h2>Budgets</h2>
      </div>
      <Loaded query={query} what="The budgets">
        {({ budgets }) =>
          budgets.length === 0 ? (
            <p className="muted">
              No budget is set. <code>budget: {"{ night_usd: 20 }"}</code> in <code>config.yaml</code> limits what a
              night may cost.
            </p>
          ) : (
            <div className="budgets">
              {budgets.map((budget) => (
                <BudgetMeter key={`${budget.window} ${budget.project ?? ""}`} budget={budget} />
              ))}
            </div>
          )
        }
      </Loaded>
    </section>
  );
}
