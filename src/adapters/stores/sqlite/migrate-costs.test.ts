import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { NO_TOKENS } from "../../../core/task/run.ts";
import { insertRow } from "../../../testing/store/insert-row.ts";
import { SILENT_LOG } from "../../../testing/store/samples.ts";
import { start } from "../sql/migrations/0001-start.ts";
import { openSqliteStore } from "./open.ts";

let directory = "";
let file = "";

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightshift-costs-"));
  file = join(directory, "nightshift.db");
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

/** Rows of the first schema version, which this version cannot write any more. */
async function writeFirstSchema(rows: readonly Readonly<Record<string, string | number | null>>[]): Promise<void> {
  await (await openSqliteStore({ file, log: SILENT_LOG, migrations: [start] })).close();
  const database = new DatabaseSync(file);
  insertRow(database, "tasks", {
    id: "task_1",
    pipeline: "chore",
    project: "shop",
    status: "succeeded",
    context: "[]",
  });
  for (const row of rows) insertRow(database, "runs", { task: "task_1", project: "shop", step: "agent", ...row });
  database.close();
}

it("migration to costs: keeps the costs of old runs even if their tasks are deleted", async () => {
  const ended = { role: "implement", agent: "claude-code", model: "m", started_at: 1, cost_basis: "reported" };
  await writeFirstSchema([
    { ...ended, id: "run_1", finished_at: 2000, cost_usd: 0.1, tokens_input: 10, tokens_cache_write: 3 },
    { ...ended, id: "run_2", finished_at: 3000, cost_usd: 0.2, cost_basis: "metered" },
    { ...ended, id: "run_3", finished_at: 3000, cost_usd: null, cost_basis: "unknown" },
    { ...ended, id: "run_4", finished_at: null },
    { ...ended, id: "run_5", finished_at: 3000, started_at: null },
    { ...ended, id: "run_6", finished_at: 3000, cost_usd: 0, step: "checks" },
  ]);
  const store = await openSqliteStore({ file, log: SILENT_LOG });
  const all = { since: 0, until: 10_000, project: "shop" };
  const expected = {
    runs: 3,
    knownUsd: 0.3,
    unknownRuns: 1,
    tokens: { ...NO_TOKENS, input: 10, cacheWrite: 3 },
    unknownTokens: 1,
    basis: { reported: 1, metered: 1, computed: 0, unknown: 1 },
  };
  expect(await store.money.spent(all)).toEqual(expected);
  expect(await store.money.costs({ ...all, by: ["agent", "model", "role", "pipeline"], timeZone: "UTC" })).toEqual([
    { key: { agent: "claude-code", model: "m", role: "implement", pipeline: "chore" }, ...expected },
  ]);
  await store.close();
  const again = await openSqliteStore({ file, log: SILENT_LOG });
  expect(await again.money.spent(all)).toEqual(expected);
  await again.close();
  expect(
    new DatabaseSync(`${file}.backup-v1`, { readOnly: true }).prepare("select count(*) as n from runs").get(),
  ).toEqual({ n: 6 });
});
