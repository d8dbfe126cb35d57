import { useApi } from "../../api/queries.ts";
import { formatMoney } from "../../ui/format.ts";
import { Section } from "../../ui/section.tsx";
import { Loaded } from "../../ui/state.tsx";

/** The money limits of config.yaml, which no project can exceed. */
export function Ceiling() {
  const query = useApi("GET /budgets");
  return (
    <Section title="Budgets" hint="The ceiling for all projects">
      <Loaded query={query} what="The budgets">
        {({ budgets }) => (
          <>
            {budgets.length === 0 ? (
              <p className="muted">Neither the night nor the month has a limit.</p>
            ) : (
              <dl className="kv">
                {budgets.map(
                  ({
                    window,
                    project,
                    limit_usd: limit,
                    spent_usd: spent,
                    reserved_usd: reserved,
                    time_zone: zone,
                  }) => (
                    <div key={`${window} ${project ?? ""}`} className="kv-row">
                      <dt>
                        {window === "night" ? "A night" : "A month"}
                        {project !== null && <span dir="auto"> of {project}</span>}
                      </dt>
                      <dd>
                        {formatMoney(limit)}{" "}
                        <span className="faint">
                          {formatMoney(spent)} spent, {formatMoney(reserved)} reserved
                          {window === "night" && `, noon to noon, ${zone}`}
                        </span>
                      </dd>
                    </div>
                  ),
                )}
              </dl>
            )}
            <p className="hint">
              Set under budget in config.yaml of Nightshift's home. This page shows it and does not change it.
            </p>
          </>
        )}
      </Loaded>
    </Section>
  );
}
