import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { UserError } from "../../../core/text/errors.ts";
import {
  creating,
  sampleEvent,
  sampleNotice,
  sampleProject,
  sampleTask,
  SILENT_LOG,
} from "../../../testing/store/samples.ts";
import { MIGRATIONS } from "../sql/migrations/list.ts";
import type { Migration } from "../sql/migrations/migration.ts";
import { findFailedDeliveries, inspectDatabase } from "./inspect.ts";
import { openSqliteStore } from "./open.ts";

const NEWEST = MIGRATIONS.at(-1)?.version ?? 0;

let directory = "";
let file = "";

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightshift-inspect-"));
  file = join(directory, "nightshift.db");
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

const open = (migrations: readonly Migration[] = MIGRATIONS) => openSqliteStore({ file, log: SILENT_LOG, migrations });

it("inspect: a missing file stays missing", async () => {
  expect(inspectDatabase(file)).toEqual({ kind: "missing" });
  expect(findFailedDeliveries(file, "shop", "ntfy")).toBeNull();
  expect(await readdir(directory)).toEqual([]);
});

it("inspect: an empty file is not an error", async () => {
  await writeFile(file, "");
  expect(inspectDatabase(file)).toEqual({ kind: "empty" });
});

it("inspect: lists the projects while a store has the file open", async () => {
  const store = await open();
  await store.projects.saveProject(sampleProject(), sampleEvent());
  const { name, path, remote, accepted } = sampleProject();
  expect(inspectDatabase(file)).toEqual({
    kind: "usable",
    version: NEWEST,
    known: NEWEST,
    projects: [{ name, path, remote, accepted }],
  });
  await store.close();
});

it("inspect: an older database is reported and not migrated", async () => {
  await (await open(MIGRATIONS.slice(0, -1))).close();
  const older = { kind: "usable", version: MIGRATIONS.at(-2)?.version, known: NEWEST };
  expect(inspectDatabase(file)).toMatchObject(older);
  expect(inspectDatabase(file)).toMatchObject(older);
});

it("inspect: a newer database is refused", async () => {
  const next: Migration = { version: NEWEST + 1, up: async () => {} };
  await (await open([...MIGRATIONS, next])).close();
  expect(inspectDatabase(file)).toEqual({ kind: "newer", version: NEWEST + 1, known: NEWEST });
});

it("inspect: a file that is not a database throws a UserError", async () => {
  await writeFile(file, "not a database, but long enough to have a header".repeat(100));
  expect(() => inspectDatabase(file)).toThrow(UserError);
  expect(findFailedDeliveries(file, "shop", "ntfy")).toBeNull();
});

it("inspect: counts failed deliveries of one channel since it last worked", async () => {
  const store = await open();
  await store.tasks.createTask(creating(sampleTask(), { notices: [sampleNotice({ channel: "ntfy", at: 5_000 })] }));
  const [notice] = await store.outbox.dueNotices(5_000, 1);
  await store.outbox.markUndelivered(notice?.id ?? 0, "HTTP 500", 6_000);
  await store.outbox.markUndelivered(notice?.id ?? 0, "HTTP 401", 7_000);
  expect(findFailedDeliveries(file, "shop", "ntfy")).toEqual({ tries: 2, since: 5_000, lastError: "HTTP 401" });
  expect(findFailedDeliveries(file, "shop", "webhook")).toBeNull();
  await store.outbox.markDelivered(notice?.id ?? 0, 8_000);
  expect(findFailedDeliveries(file, "shop", "ntfy")).toBeNull();
  await store.close();
});
