import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { NO_TOKENS } from "../../../core/task/run.ts";
import type { Store } from "../../../ports/store.ts";
import { insertRow } from "../../../testing/store/insert-row.ts";
import { committing, sampleEnd, sampleEvent, SILENT_LOG, startTask } from "../../../testing/store/samples.ts";
import { createTempDir, type TempDir } from "../../../testing/temp-repo.ts";
import { MIGRATIONS } from "../sql/migrations/list.ts";
import { openSqliteStore } from "./open.ts";

let dir: TempDir;

beforeEach(async () => {
  dir = await createTempDir();
});
afterEach(async () => {
  await dir.remove();
});

const DAY = 86_400_000;
const SHOP = { project: "shop", pipeline: "chore", role: "implement", agent: "claude-code", model: "m" };

/** Opens a database of the last version without totals, with these rows. */
async function openMigrated(rows: (database: DatabaseSync) => void): Promise<Store> {
  const file = join(dir.path, "nightshift.db");
  const migrations = MIGRATIONS.filter(({ version }) => version < 10);
  await (await openSqliteStore({ file, log: SILENT_LOG, migrations })).close();
  const database = new DatabaseSync(file);
  rows(database);
  database.close();
  return await openSqliteStore({ file, log: SILENT_LOG });
}

it("migration to totals: counts the existing tasks, and later changes too", async () => {
  const store = await openMigrated((database) => {
    for (const [index, status] of ["succeeded", "failed", "succeeded", "waiting"].entries())
      insertRow(database, "tasks", { id: `task_${index}`, pipeline: "chore", project: "shop", status });
  });
  expect(await store.tasks.countTasks()).toMatchObject({ succeeded: 2, failed: 1, waiting: 1, queued: 0 });
  await store.tasks.deleteTask("task_0", sampleEvent());
  await startTask(store, { status: "queued" });
  expect(await store.tasks.countTasks()).toMatchObject({ succeeded: 1, failed: 1, waiting: 1, queued: 1 });
  await store.close();
});

it("migration to totals: sums up the existing costs of each group by time, and later runs too", async () => {
  const store = await openMigrated((database) => {
    const reported = { basis: "reported", nano_usd: 100_000_000, tokens_input: 1, tokens_cache_read: 2 };
    // Out of order, twice at the same time, and with missing values.
    insertRow(database, "costs", { ...SHOP, ...reported, run: "run_c", at: 2 * DAY });
    insertRow(database, "costs", { ...SHOP, ...reported, run: "run_b", at: DAY });
    insertRow(database, "costs", { ...SHOP, ...reported, run: "run_a", at: DAY, basis: "metered" });
    insertRow(database, "costs", { ...SHOP, run: "run_d", at: DAY, basis: "unknown", model: null });
    insertRow(database, "costs", { ...SHOP, run: "run_e", at: 2 * DAY, basis: "unknown", model: null });
    insertRow(database, "costs", { ...SHOP, ...reported, run: "run_f", at: DAY, project: "api" });
  });
  const query = { since: DAY, until: 3 * DAY, project: "shop", by: ["day", "model"], timeZone: "UTC" } as const;
  const one = { runs: 1, knownUsd: 0.1, unknownRuns: 0, unknownTokens: 0 };
  const tokens = { ...NO_TOKENS, input: 1, cacheRead: 2 };
  const none = { ...one, knownUsd: 0, unknownRuns: 1, unknownTokens: 1, tokens: NO_TOKENS };
  const basis = { reported: 0, metered: 0, computed: 0, unknown: 0 };
  expect(await store.money.costs(query)).toEqual([
    {
      ...one,
      key: { day: "1970-01-02", model: "m" },
      runs: 2,
      knownUsd: 0.2,
      tokens: { ...tokens, input: 2, cacheRead: 4 },
      basis: { ...basis, reported: 1, metered: 1 },
    },
    { ...none, key: { day: "1970-01-02", model: null }, basis: { ...basis, unknown: 1 } },
    { ...one, key: { day: "1970-01-03", model: "m" }, tokens, basis: { ...basis, reported: 1 } },
    { ...none, key: { day: "1970-01-03", model: null }, basis: { ...basis, unknown: 1 } },
  ]);
  const { task, run, lease } = await startTask(store);
  await store.tasks.updateRun(lease, { agent: "claude-code", model: "m" });
  const endRun = sampleEnd(run.id, { finishedAt: DAY + 1, costUsd: 0.25 });
  await store.tasks.commit(committing(task, { lease, endRun }));
  const spent = (since: number, until: number) => store.money.spent({ since, until, project: null });
  expect(await spent(0, 3 * DAY)).toMatchObject({ runs: 7, knownUsd: 0.65, unknownRuns: 2 });
  expect(await spent(DAY + 1, 3 * DAY)).toMatchObject({ runs: 3, knownUsd: 0.35, unknownRuns: 1 });
  expect(await spent(DAY, DAY + 1)).toMatchObject({ runs: 4, knownUsd: 0.3, unknownRuns: 1 });
  await store.close();
});
