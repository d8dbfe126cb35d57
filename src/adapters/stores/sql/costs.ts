import { sql } from "kysely";
import type { CostQuery, CostRow } from "../../../ports/store.ts";
import type { Db } from "./schema.ts";

const DAY_MS = 86_400_000;

/** A run counts on the day it ended. Runs that never started cost nothing and are not counted. */
export async function costs(db: Db, query: CostQuery): Promise<readonly CostRow[]> {
  // The divisor is written out: a bound number may arrive as a float, and then the division is none of whole numbers.
  const day = sql<number>`(runs.finished_at / ${sql.lit(DAY_MS)})`;
  const keys = ["runs.project", "tasks.pipeline", "runs.role", "runs.agent", "runs.model"] as const;
  let select = db
    .selectFrom("runs")
    .innerJoin("tasks", "tasks.id", "runs.task")
    .select(keys)
    .select(({ fn }) => [
      day.as("day"),
      fn.countAll<number>().as("runs"),
      fn.count<number>("runs.cost_usd").as("known"),
      fn.coalesce(fn.sum<number>("runs.cost_usd"), sql<number>`0`).as("cost_usd"),
      fn.sum<number>("runs.tokens_input").as("input"),
      fn.sum<number>("runs.tokens_output").as("output"),
      fn.sum<number>("runs.tokens_cache_read").as("cache_read"),
      fn.sum<number>("runs.tokens_cache_write").as("cache_write"),
    ])
    .where("runs.started_at", "is not", null)
    .where("runs.finished_at", ">=", query.since)
    .where("runs.finished_at", "<", query.until)
    .groupBy([day, ...keys])
    .orderBy(day);
  for (const key of keys) select = select.orderBy(key);
  if (query.project !== null) select = select.where("runs.project", "=", query.project);
  return (await select.execute()).map((row) => ({
    day: new Date(row.day * DAY_MS).toISOString().slice(0, 10),
    project: row.project,
    pipeline: row.pipeline,
    role: row.role,
    agent: row.agent,
    model: row.model,
    runs: row.runs,
    costUsd: row.cost_usd,
    unknownCost: row.runs - row.known,
    tokens: { input: row.input, output: row.output, cacheRead: row.cache_read, cacheWrite: row.cache_write },
  }));
}
