import { sql } from "kysely";
import type { Tx } from "./schema.ts";

/**
 * Writes a cost row for each of these runs that is an agent run and has started. Must run in the transaction that ends the
 * runs, so that neither exists without the other.
 */
export async function recordCosts(tx: Tx, runs: readonly string[]): Promise<void> {
  if (runs.length === 0) return;
  await sql`
    insert into costs (run, task, project, pipeline, role, agent, model, basis, nano_usd,
      tokens_input, tokens_output, tokens_cache_read, tokens_cache_write, at)
    select runs.id, runs.task, runs.project, tasks.pipeline, runs.role, runs.agent, runs.model,
      case when runs.cost_usd is null then 'unknown' else runs.cost_basis end,
      cast(round(runs.cost_usd * 1000000000) as bigint),
      runs.tokens_input, runs.tokens_output, runs.tokens_cache_read, runs.tokens_cache_write, runs.finished_at
    from runs join tasks on tasks.id = runs.task
    where runs.id in (${sql.join(runs)}) and runs.step = 'agent' and runs.started_at is not null
  `.execute(tx);
}
