import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqliteStore } from "../adapters/stores/sqlite/open.ts";
import type { Task } from "../core/task/task.ts";
import type { Store } from "../ports/store.ts";
import { openLoopback, type LoopbackServer } from "../testing/loopback/loopback-server.ts";
import { creating, sampleEvent, sampleTask, SILENT_LOG } from "../testing/store/samples.ts";
import { createTempDir, type TempDir } from "../testing/temp-repo.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { ping } from "./wire/wire-notifiers.ts";

const POLL = { timeout: 20_000 };
let dir: TempDir;
let store: Store;
let watcher: LoopbackServer;
let stop = (): void => undefined;
let warnings: string[];

beforeEach(async () => {
  dir = await createTempDir();
  store = await openSqliteStore({ file: `${dir.path}/nightshift.db`, log: SILENT_LOG });
  watcher = await openLoopback(() => ({ status: 200 }));
  warnings = [];
});
afterEach(async () => {
  stop();
  await watcher.close();
  await store.close();
  await dir.remove();
});

const urls = async (project: string | null): Promise<readonly string[]> => [
  `${watcher.url}/${project ?? "all"}/secret-uuid`,
];

const isNight = async ({ pipeline }: Task): Promise<boolean> => pipeline === "night";

function start(intervalMs?: number): void {
  const log = {
    ...SILENT_LOG,
    warn: (message: string, fields = {}) => void warnings.push(message + JSON.stringify(fields)),
  };
  stop = startHeartbeat({ urls, ping, store, isNight, log, ...(intervalMs === undefined ? {} : { intervalMs }) });
}

const paths = (): readonly string[] => watcher.requests.map(({ method, path }) => `${method} ${path}`);

test("heartbeat: pings at the start and then regularly", async () => {
  start(20);
  await expect.poll(() => watcher.requests.length, POLL).toBeGreaterThan(3);
  expect(new Set(paths())).toEqual(new Set(["GET /all/secret-uuid"]));
});

test("heartbeat: pings at the end of a night, but not of other tasks", async () => {
  start();
  for (const pipeline of ["chore", "night"]) {
    const task = sampleTask({ pipeline });
    const events = [sampleEvent({ task: task.id, type: "task.ended" })];
    await store.tasks.createTask(creating(task, { events }));
  }
  await expect.poll(() => paths().toSorted(), POLL).toEqual(["GET /all/secret-uuid", "GET /shop/secret-uuid"]);
});

test("heartbeat: repeated failures are logged once without the URL, and again after a success", async () => {
  watcher.fail("drop", { status: 404, body: "no check /all/secret-uuid" }, { status: 500 });
  start(20);
  await expect.poll(() => watcher.requests.length, POLL).toBeGreaterThan(4);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).not.toContain("secret-uuid");
  watcher.fail({ status: 404, body: "no check /all/secret-uuid" });
  await expect.poll(() => warnings.length, POLL).toBe(2);
  expect(warnings[1]).toContain("HTTP 404");
  expect(warnings[1]).not.toContain("secret-uuid");
});
