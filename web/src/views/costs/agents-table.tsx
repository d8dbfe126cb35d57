import type { ReactNode } from "react";
import { type Reply, useApi } from "../../api/queries.ts";
import { formatDuration, formatMoney } from "../../ui/format.ts";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { Loaded } from "../../ui/state.tsx";
import type { QualityQuery } from "./figures.tsx";
import { percent } from "./rates.ts";

type Row = Reply<"GET /quality">["rows"][number];

/** How well each agent with its model works, next to what it costs. */
export function AgentsTable({ query }: { query: QualityQuery }) {
  const quality = useApi("GET /quality", { query: { ...query, by: "agent,model" } }, { keepPrevious: true });
  return (
    <section aria-label="Agents side by side" className="block">
      <div className="chart-head">
        <h2>Agents side by side</h2>
        <span className="hint">
          Rates appear from 20 runs on. Merged and closed changes count for the agent that last changed the work.
        </span>
      </div>
      <Loaded query={quality} what="The figures about agents">
        {({ rows }) => (
          <ScrollArea label="Figures about agents">
            <table className="agents">
              <thead>
                <tr>
                  <th>Agent</th>
                  <th className="num">Runs</th>
                  <th className="num">Succeeded</th>
                  <th className="num">Median</th>
                  <th className="num">Runs per step</th>
                  <th className="num">Repaired</th>
                  <th className="num">Cost</th>
                  <th className="num">Merged</th>
                  <th className="num">Closed</th>
                  <th className="num">Per merged</th>
                </tr>
              </thead>
              <tbody>
                {rows
                  .filter(({ agent }) => agent != null)
                  .toSorted((a, b) => b.runs.ended - a.runs.ended)
                  .map((row) => (
                    <AgentRow key={`${row.agent ?? ""} ${row.model ?? ""}`} row={row} />
                  ))}
              </tbody>
            </table>
          </ScrollArea>
        )}
      </Loaded>
    </section>
  );
}

function AgentRow({ row }: { row: Row }) {
  const { runs, median_ms: median, attempts, changes } = row;
  const hasChanges = changes.published > 0;
  return (
    <tr>
      <td className="nowrap" dir="auto">
        {row.agent} {row.model != null && <span className="faint">{row.model}</span>}
      </td>
      <Figure>{String(runs.ended)}</Figure>
      <Figure>{percent(row.success_rate)}</Figure>
      <Figure>{median === null ? null : median < 1000 ? "< 1 s" : formatDuration(median)}</Figure>
      <Figure>{attempts === null ? null : attempts.toFixed(2)}</Figure>
      <Figure>{percent(row.repair_rate)}</Figure>
      <Figure>
        {formatMoney(row.cost_usd)}
        {row.cost_usd !== null && row.unknown_cost > 0 && <span className="faint"> + {row.unknown_cost} unknown</span>}
      </Figure>
      <Figure>{hasChanges ? String(changes.merged) : null}</Figure>
      <Figure>{hasChanges ? String(changes.closed) : null}</Figure>
      <Figure>{row.cost_per_merged_usd === null ? null : formatMoney(row.cost_per_merged_usd)}</Figure>
    </tr>
  );
}

function Figure({ children }: { children: ReactNode }) {
  return <td className="num nowrap">{children ?? <span className="faint">–</span>}</td>;
}
