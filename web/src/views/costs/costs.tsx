import { useSearch } from "@tanstack/react-router";
import { useApi } from "../../api/queries.ts";
import { useTitle } from "../../app/title.ts";
import type { CostsJson } from "../../../../src/http/client/client.ts";
import { Empty, Loaded } from "../../ui/state.tsx";
import { useNow } from "../../ui/use-now.ts";
import { AgentsTable } from "./agents-table.tsx";
import { Budgets } from "./budgets.tsx";
import { CostByDay } from "./chart/cost-by-day.tsx";
import { DIVISIONS } from "./chart/stack-costs.ts";
import { Figures } from "./figures.tsx";
import { Filters } from "./filters.tsx";
import { NightsStrip } from "./nights-strip.tsx";
import { parseRange, periodOf } from "./range.ts";
import { Tokens } from "./tokens.tsx";

/** What agents cost, and what became of their work. The period, the project and the division are in the address. */
export function CostsView() {
  useTitle("Costs and quality");
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const by = DIVISIONS.find((each) => each === search["by"]) ?? "project";
  const range = parseRange(search["range"]);
  const project = search["project"];
  const now = useNow();
  const { since, nights } = periodOf(range, new Date(now).toLocaleDateString("sv-SE"));
  const query = { since, ...(project !== undefined && { project }) };
  const costs = useApi("GET /costs", { query: { ...query, by: `day,${by}` } }, { keepPrevious: true });
  return (
    <div className="page costs">
      <div className="flex wrap costs-head">
        <h1 className="h1">Costs and quality</h1>
        <Filters range={range} project={project ?? null} search={search} />
      </div>
      <Loaded query={costs} what="The costs">
        {(found) => (
          <>
            {isEmpty(found) ? (
              <Empty title={range === "30d" ? "Nothing spent yet" : "Nothing spent in this period"}>
                Costs appear here when the first run of an agent ends.
              </Empty>
            ) : (
              <>
                <Figures costs={found} query={query} />
                {/* While another division is loading, the rows still have the one before. */}
                <CostByDay costs={found} by={DIVISIONS.find((each) => found.by.includes(each)) ?? by} search={search} />
              </>
            )}
            <div className="two-up">
              <Budgets project={project ?? null} />
              {!isEmpty(found) && <Tokens total={found.total} />}
            </div>
            {!isEmpty(found) && <AgentsTable query={query} />}
            <NightsStrip nights={nights} project={project ?? null} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function isEmpty({ total }: CostsJson): boolean {
  return total.runs === 0;
}
