import { sql } from "kysely";
import type { Tx } from "../schema.ts";
import type { Migration } from "./migration.ts";
import { createIndex, createTable } from "./table.ts";

const TOTALS = [
  "total_nano_usd",
  "total_paid",
  "total_reported",
  "total_metered",
  "total_computed",
  "total_unknown",
  "total_unknown_tokens",
  "total_input",
  "total_output",
  "total_cache_read",
  "total_cache_write",
];

/** Adds running totals, so that sums and counts do not read every row. */
export const totals: Migration = {
  version: 10,
  async up(tx, differences) {
    await createTable(tx, differences, "task_counts", { status: "id", tasks: "bigint" }).execute();
    await createTable(tx, differences, "cost_groups", {
      id: "identity",
      project: "text",
      pipeline: "text",
      role: "text?",
      agent: "text?",
      model: "text?",
    }).execute();
    await createIndex(tx, "cost_groups", ["project", "pipeline", "role", "agent", "model"]);
    for (const column of ["cost_group", ...TOTALS])
      await tx.schema
        .alterTable("costs")
        .addColumn(column, "bigint", (definition) => definition.notNull().defaultTo(0))
        .execute();
    await tx.schema.dropIndex("costs_by_at").execute();
    await tx.schema.dropIndex("costs_by_project_at").execute();
    await fillTotals(tx);
    await createIndex(tx, "costs", ["cost_group", "at", "run"]);
  },
};

/** Counts all tasks and sums up all costs. */
export async function fillTotals(tx: Tx): Promise<void> {
  await sql`insert into task_counts select status, count(*) from tasks group by status`.execute(tx);
  await sql`
    insert into cost_groups (project, pipeline, role, agent, model)
    select distinct project, pipeline, role, agent, model from costs
  `.execute(tx);
  await sql`
    update costs set
      cost_group = sums.cost_group,
      total_nano_usd = sums.nano_usd,
      total_paid = sums.paid,
      total_reported = sums.reported,
      total_metered = sums.metered,
      total_computed = sums.computed,
      total_unknown = sums.unknown,
      total_unknown_tokens = sums.unknown_tokens,
      total_input = sums.input,
      total_output = sums.output,
      total_cache_read = sums.cache_read,
      total_cache_write = sums.cache_write
    from (
      select costs.run, cost_groups.id as cost_group,
        sum(coalesce(nano_usd, 0)) over earlier as nano_usd,
        sum(case when nano_usd > 0 then 1 else 0 end) over earlier as paid,
        sum(case when basis = 'reported' then 1 else 0 end) over earlier as reported,
        sum(case when basis = 'metered' then 1 else 0 end) over earlier as metered,
        sum(case when basis = 'computed' then 1 else 0 end) over earlier as computed,
        sum(case when basis = 'unknown' then 1 else 0 end) over earlier as unknown,
        sum(case when basis = 'unknown'
          and tokens_input + tokens_output + tokens_cache_read + tokens_cache_write = 0
          then 1 else 0 end) over earlier as unknown_tokens,
        sum(tokens_input) over earlier as input,
        sum(tokens_output) over earlier as output,
        sum(tokens_cache_read) over earlier as cache_read,
        sum(tokens_cache_write) over earlier as cache_write
      from costs join cost_groups
        on cost_groups.project = costs.project and cost_groups.pipeline = costs.pipeline
        and cost_groups.role is not distinct from costs.role
        and cost_groups.agent is not distinct from costs.agent
        and cost_groups.model is not distinct from costs.model
      window earlier as (partition by cost_groups.id order by costs.at, costs.run)
    ) as sums
    where sums.run = costs.run
  `.execute(tx);
}
