import { sql } from "kysely";
import type { Migration } from "./migration.ts";
import { createIndex, createTable } from "./table.ts";

/** Adds a table for the costs of runs. It keeps them after their tasks are deleted. */
export const costs: Migration = {
  version: 2,
  async up(tx, differences) {
    await createTable(tx, differences, "costs", {
      run: "id",
      task: "text",
      project: "text",
      pipeline: "text",
      role: "text?",
      agent: "text?",
      model: "text?",
      basis: "text",
      nano_usd: "bigint?",
      tokens_input: "bigint",
      tokens_output: "bigint",
      tokens_cache_read: "bigint",
      tokens_cache_write: "bigint",
      at: "bigint",
    }).execute();
    await createIndex(tx, "costs", ["at"]);
    await createIndex(tx, "costs", ["project", "at"]);
    await sql`
      insert into costs
      select runs.id, runs.task, runs.project, tasks.pipeline, runs.role, runs.agent, runs.model,
        case when runs.cost_usd is null then 'unknown' else runs.cost_basis end,
        cast(round(runs.cost_usd * 1000000000) as bigint),
        runs.tokens_input, runs.tokens_output, runs.tokens_cache_read, runs.tokens_cache_write, runs.finished_at
      from runs join tasks on tasks.id = runs.task
      where runs.step = 'agent' and runs.started_at is not null and runs.finished_at is not null
    `.execute(tx);
  },
};
