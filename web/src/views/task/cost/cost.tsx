import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { formatMoney, plural } from "../../../ui/format.ts";
import { Empty } from "../../../ui/state.tsx";
import { CostBar } from "./cost-bar.tsx";
import { CostTable } from "./cost-table.tsx";
import { sumByRole, sumRuns } from "./sum-runs.ts";

/** What the task cost, by run, with a sum that adds up. */
export function CostTab({ task }: { task: TaskJson }) {
  const runs = task.runs.filter(({ step, started_at: started }) => step === "agent" && started !== null);
  const others = task.runs.filter(({ step, started_at: started }) => step !== "agent" && started !== null).length;
  if (runs.length === 0)
    return (
      <div className="tab-body">
        <Empty title="No agent has run yet">Each run of an agent appears here with its tokens and its cost.</Empty>
      </div>
    );
  const sums = sumRuns(runs);
  const limit = task.options.budget_usd;
  return (
    <div className="tab-body">
      <div className="flex wrap cost-head">
        <span>
          <b className="strong">{sums.usd === null ? "Cost unknown" : formatMoney(sums.usd)}</b>{" "}
          <span className="muted">
            spent by {plural(runs.length, "agent run")}
            {sums.unknown > 0 && `, without ${plural(sums.unknown, "run of unknown cost", "runs of unknown cost")}`}
          </span>
        </span>
        <span className="muted">{limit === null ? "no limit for the task" : `task limit ${formatMoney(limit)}`}</span>
      </div>
      <CostBar shares={sumByRole(runs)} limit={limit} />
      <CostTable runs={runs} sums={sums} />
      <VariantCosts task={task} own={sums.usd} />
      <p className="hint">
        reported: the agent&apos;s program said so. metered: counted by the gateway. computed: tokens times the price
        table.
        {others > 0 && ` ${plural(others, "run")} of checks and publishing used no agent and cost nothing.`}
      </p>
    </div>
  );
}

/** The sum of the task contains its variants, which are tasks of their own. */
function VariantCosts({ task, own }: { task: TaskJson; own: number | null }) {
  if (task.variants.length === 0) return null;
  const known = task.variants.flatMap(({ cost_usd: usd }) => (usd === null ? [] : [usd]));
  const sum = known.reduce((total, usd) => total + usd, 0);
  return (
    <p>
      {plural(task.variants.length, "variant")}: {formatMoney(sum)}. Together with the runs above:{" "}
      <b className="strong">{formatMoney((own ?? 0) + sum)}</b>.
    </p>
  );
}
