import {
  allow,
  type Allowance,
  type BudgetLimit,
  type BudgetUse,
  type UsedLimit,
} from "../../../../core/money/budget.ts";
import { fromNanoUsd, toNanoUsd } from "../../../../core/money/cost-dimensions.ts";
import { OPEN_RUN_STATUSES } from "../../../../core/task/run.ts";
import type { Lease } from "../../../../ports/store.ts";
import type { ReserveRequest } from "../../../../ports/store-money.ts";
import { addAll, sumCosts } from "./cost-totals.ts";
import { requireLease } from "../tables/runs.ts";
import type { Db, Tx } from "../schema.ts";

/** Must run in a serialised transaction, because it counts before it writes. */
export async function reserve(tx: Tx, lease: Lease, { limits, maxUsd }: ReserveRequest): Promise<Allowance> {
  await requireLease(tx, lease);
  const run = tx.selectFrom("runs").select("reserved_nano_usd").where("id", "=", lease.run);
  const { reserved_nano_usd: kept } = await run.executeTakeFirstOrThrow();
  if (kept !== null) return { kind: "allowed", usd: fromNanoUsd(kept) };
  const allowance = allow(await listUse(tx, limits), maxUsd);
  if (allowance.kind === "allowed" && allowance.usd !== null)
    await tx
      .updateTable("runs")
      .set({ reserved_nano_usd: toNanoUsd(allowance.usd) })
      .where("id", "=", lease.run)
      .execute();
  return allowance;
}

export async function listUse(db: Db, limits: readonly BudgetLimit[]): Promise<readonly UsedLimit[]> {
  const used: UsedLimit[] = [];
  for (const limit of limits) used.push({ limit, use: await useOf(db, limit) });
  return used;
}

async function useOf(db: Db, limit: BudgetLimit): Promise<BudgetUse> {
  const spent = addAll(await sumCosts(db, limit));
  const reserved = await reservedOf(db, limit);
  return {
    spentUsd: fromNanoUsd(spent.total_nano_usd),
    runs: spent.total_paid,
    unknownRuns: spent.total_unknown,
    reservedUsd: fromNanoUsd(reserved.nano_usd ?? 0),
    running: reserved.running,
  };
}

/** Includes all open runs, whenever they started, because they will end and count in this window or a later one. */
function reservedOf(db: Db, { project }: BudgetLimit) {
  const select = db
    .selectFrom("runs")
    .select(({ fn }) => [
      fn.sum<number | null>("reserved_nano_usd").as("nano_usd"),
      fn.countAll<number>().as("running"),
    ])
    .where("status", "in", OPEN_RUN_STATUSES)
    .where("reserved_nano_usd", "is not", null);
  return (project === null ? select : select.where("project", "=", project)).executeTakeFirstOrThrow();
}
