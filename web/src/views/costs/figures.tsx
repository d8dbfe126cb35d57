import type { ReactNode } from "react";
import { type Reply, useApi } from "../../api/queries.ts";
import type { CostsJson } from "../../../../src/http/client/client.ts";
import { formatMoney, plural } from "../../ui/format.ts";
import { Loaded } from "../../ui/state.tsx";
import { formatRate } from "./rates.ts";

export interface QualityQuery {
  readonly since: string;
  readonly project?: string;
}

type Quality = Reply<"GET /quality">;

/** Four figures, each with its arithmetic in words. */
export function Figures({ costs, query }: { costs: CostsJson; query: QualityQuery }) {
  const quality = useApi("GET /quality", { query }, { keepPrevious: true });
  return (
    <Loaded query={quality} what="The figures about quality">
      {({ total, is_complete: isComplete }) => (
        <>
          <div className="figs">
            <Spent total={costs.total} />
            <Merged changes={total.changes} />
            <PerMerged total={total} />
            <Succeeded tasks={total.tasks} />
          </div>
          {!isComplete && (
            <p className="hint">
              The period has more runs than are counted here. The counts are those of the newest ones; the costs are
              complete.
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}

function Spent({ total: { runs, cost_usd: usd, unknown_cost: unknown } }: { total: CostsJson["total"] }) {
  return (
    <Figure
      name="Spent"
      value={formatMoney(usd)}
      detail={`${plural(runs, "agent run")}${unknown > 0 ? `, ${unknown} of unknown cost not in the sum` : ", all with a known cost"}`}
    />
  );
}

function Merged({ changes: { published, merged, closed, open } }: { changes: Quality["total"]["changes"] }) {
  return <Figure name="Changes merged" value={`${merged} of ${published}`} detail={`${closed} closed, ${open} open`} />;
}

function PerMerged({
  total: { cost_per_merged_usd: usd, changes, unknown_cost: unknown },
}: {
  total: Quality["total"];
}) {
  return (
    <Figure
      name="Per merged change"
      value={usd === null ? "–" : formatMoney(usd)}
      detail={
        usd === null
          ? changes.merged === 0
            ? "no change was merged yet"
            : "no cost is known"
          : `all spending, divided by ${changes.merged}${unknown > 0 ? `, without ${plural(unknown, "run")} of unknown cost` : ""}`
      }
    />
  );
}

function Succeeded({ tasks: { ended, succeeded, failed, cancelled } }: { tasks: Quality["total"]["tasks"] }) {
  const rate = formatRate(succeeded, ended);
  const parts = `${failed} failed, ${cancelled} cancelled`;
  return rate === null ? (
    <Figure name="Tasks succeeded" value={`${succeeded} of ${ended}`} detail={parts} />
  ) : (
    <Figure name="Tasks succeeded" value={rate} detail={`${succeeded} of ${ended} ended; ${parts}`} />
  );
}

function Figure({ name, value, detail }: { name: string; value: string; detail: ReactNode }) {
  return (
    <div className="fig">
      <div className="l">{name}</div>
      <div className="v">{value}</div>
      <div className="d">{detail}</div>
    </div>
  );
}
