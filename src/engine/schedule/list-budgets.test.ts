import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqliteStore } from "../../adapters/stores/sqlite/open.ts";
import { createProjectFiles } from "../../config/files/project-files.ts";
import type { Store } from "../../ports/store.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import {
  SILENT_LOG,
  committing,
  sampleEnd,
  sampleEvent,
  sampleProject,
  startTask,
} from "../../testing/store/samples.ts";
import { createTempDir, type TempDir } from "../../testing/temp-repo.ts";
import { listBudgets } from "./list-budgets.ts";
import { REGISTRY } from "../../daemon/wire/registry.ts";

const NOW = Date.UTC(2026, 10, 15, 21);

let dir: TempDir;
let store: Store;
const files = () =>
  createProjectFiles({ configDir: dir.path, builtinDir: join(dir.path, "builtin"), format: REGISTRY.format });

beforeEach(async () => {
  dir = await createTempDir();
  store = await openSqliteStore({ file: ":memory:", log: SILENT_LOG });
});
afterEach(async () => {
  await store.close();
  await dir.remove();
});

async function register(name: string, settings: string): Promise<void> {
  const path = join(dir.path, name);
  await mkdir(path);
  await writeFile(join(path, "nightshift.yaml"), `project: ${name}\n${settings}`);
  const { wanted } = await files().pendingTrust({ path }, "");
  await store.projects.saveProject(sampleProject({ name, path, accepted: wanted }), sampleEvent());
}

async function budgets(project: string | null): Promise<readonly unknown[]> {
  const clock = createFakeClock(NOW);
  const found = await listBudgets({ store, projects: files(), clock, log: SILENT_LOG }, project);
  return found.map(({ limit, use }) => [limit.project, limit.window, limit.usd, use.spentUsd, use.reservedUsd]);
}

it("budgets: lists the shared limits once, and the lower limits of each project", async () => {
  await writeFile(join(dir.path, "config.yaml"), "time_zone: UTC\nbudget: { night_usd: 20, month_usd: 200 }\n");
  await register("shop", "budget: { night_usd: 5 }\n");
  await register("api", "");
  const shop = await startTask(store, { project: "shop" });
  await store.money.reserve(shop.lease, { limits: [], maxUsd: 3 });
  const api = await startTask(store, { project: "api" });
  const end = sampleEnd(api.run.id, { costUsd: 0.5, finishedAt: NOW - 1 });
  await store.tasks.commit(committing(api.task, { lease: api.lease, endRun: end }));
  expect(await budgets(null)).toEqual([
    [null, "night", 20, 0.5, 3],
    [null, "month", 200, 0.5, 3],
    ["shop", "night", 5, 0, 3],
  ]);
  expect(await budgets("api")).toEqual([
    [null, "night", 20, 0.5, 3],
    [null, "month", 200, 0.5, 3],
  ]);
});

it("budgets: lists nothing without limits, and skips a project whose settings cannot be read", async () => {
  await writeFile(join(dir.path, "config.yaml"), "time_zone: UTC\n");
  await register("api", "");
  expect(await budgets(null)).toEqual([]);
  await register("shop", "budget: { month_usd: 5 }\n");
  await writeFile(join(dir.path, "api", "nightshift.yaml"), "buget: 1\n");
  expect(await budgets(null)).toEqual([["shop", "month", 5, 0, 0]]);
});
