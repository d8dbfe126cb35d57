import { toNanoUsd } from "../../../../core/money/cost-dimensions.ts";
import { addTotals, NO_COSTS, TOTAL_COLUMNS } from "./cost-totals.ts";
import type { CostTotals, Schema, Tx } from "../schema.ts";

type Cost = Omit<Schema["costs"], keyof CostTotals | "cost_group">;

/**
 * Writes a cost row for each of these runs that is an agent run and has started, and updates the totals. Must run in the
 * transaction that ends the runs, so that neither exists without the other.
 */
export async function recordCosts(tx: Tx, runs: readonly string[]): Promise<void> {
  if (runs.length === 0) return;
  for (const cost of await readCosts(tx, runs)) {
    const group = await findGroup(tx, cost);
    const own = totalsOf(cost);
    const before = await readTotalsBefore(tx, group, cost);
    await tx
      .insertInto("costs")
      .values({ ...cost, cost_group: group, ...addTotals(before, own) })
      .execute();
    // Usually there is no later run. The clock may have been set back, or two runs ended at the same time.
    await tx
      .updateTable("costs")
      .set((eb) => Object.fromEntries(TOTAL_COLUMNS.map((column) => [column, eb(column, "+", own[column])])))
      .where("cost_group", "=", group)
      .where(({ eb, refTuple, tuple }) => eb(refTuple("at", "run"), ">", tuple(cost.at, cost.run)))
      .execute();
  }
}

async function readCosts(tx: Tx, runs: readonly string[]): Promise<readonly Cost[]> {
  const rows = await tx
    .selectFrom("runs")
    .innerJoin("tasks", "tasks.id", "runs.task")
    .select(["runs.id as run", "runs.task", "runs.project", "tasks.pipeline", "runs.role", "runs.agent", "runs.model"])
    .select(["runs.cost_usd", "runs.cost_basis", "runs.finished_at"])
    .select(["runs.tokens_input", "runs.tokens_output", "runs.tokens_cache_read", "runs.tokens_cache_write"])
    .where("runs.id", "in", runs)
    .where("runs.step", "=", "agent")
    .where("runs.started_at", "is not", null)
    .execute();
  return rows.flatMap(({ cost_usd: usd, cost_basis, finished_at: at, ...cost }) =>
    at === null
      ? []
      : [{ ...cost, at, basis: usd === null ? "unknown" : cost_basis, nano_usd: usd === null ? null : toNanoUsd(usd) }],
  );
}

function totalsOf(cost: Cost): CostTotals {
  const tokens = cost.tokens_input + cost.tokens_output + cost.tokens_cache_read + cost.tokens_cache_write;
  return {
    ...NO_COSTS,
    [`total_${cost.basis}` as const]: 1,
    total_nano_usd: cost.nano_usd ?? 0,
    total_paid: (cost.nano_usd ?? 0) > 0 ? 1 : 0,
    total_unknown_tokens: cost.basis === "unknown" && tokens === 0 ? 1 : 0,
    total_input: cost.tokens_input,
    total_output: cost.tokens_output,
    total_cache_read: cost.tokens_cache_read,
    total_cache_write: cost.tokens_cache_write,
  };
}

async function findGroup(tx: Tx, { project, pipeline, role, agent, model }: Cost): Promise<number> {
  const known = await tx
    .selectFrom("cost_groups")
    .select("id")
    .where("project", "=", project)
    .where("pipeline", "=", pipeline)
    .where("role", "is not distinct from", role)
    .where("agent", "is not distinct from", agent)
    .where("model", "is not distinct from", model)
    .executeTakeFirst();
  if (known !== undefined) return known.id;
  const added = tx.insertInto("cost_groups").values({ project, pipeline, role, agent, model }).returning("id");
  return (await added.executeTakeFirstOrThrow()).id;
}

async function readTotalsBefore(tx: Tx, group: number, { at, run }: Cost): Promise<CostTotals> {
  const last = await tx
    .selectFrom("costs")
    .select(TOTAL_COLUMNS)
    .where("cost_group", "=", group)
    .where(({ eb, refTuple, tuple }) => eb(refTuple("at", "run"), "<", tuple(at, run)))
    .orderBy("at", "desc")
    .orderBy("run", "desc")
    .limit(1)
    .executeTakeFirst();
  return last ?? NO_COSTS;
}
