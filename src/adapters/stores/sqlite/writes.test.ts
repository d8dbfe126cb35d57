import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MachineError, StaleTaskError } from "../../../core/text/errors.ts";
import type { Store } from "../../../ports/store.ts";
import {
  committing,
  creating,
  sampleEvent,
  sampleTask,
  SILENT_LOG,
  startTask,
} from "../../../testing/store/samples.ts";
import { MIGRATIONS } from "../sql/migrations/list.ts";
import { openDatabase, openStore } from "./open.ts";

let directory = "";
let file = "";
let database: DatabaseSync;
let store: Store;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightshift-store-"));
  file = join(directory, "nightshift.db");
  await open(60_000);
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

async function open(lockTimeoutMs: number): Promise<void> {
  database = openDatabase(file);
  const params = { database, file, log: SILENT_LOG, migrations: MIGRATIONS, release: () => {} };
  store = await openStore({ ...params, lockTimeoutMs });
}

/** Locks the database like a person who works with it in the `sqlite3` shell. */
function lockFromOutside(): { release: () => void } {
  const shell = new DatabaseSync(file);
  shell.exec("begin exclusive");
  return {
    release() {
      shell.exec("commit");
      shell.close();
    },
  };
}

describe("SQLite that another program has locked", () => {
  it("still answers reads, and writes when the lock is released", async () => {
    const { task } = await startTask(store);
    const last = await store.events.lastEventId();
    const lock = lockFromOutside();
    const written = store.events.appendEvents([sampleEvent()]);
    expect(await store.tasks.getTask(task.id)).toMatchObject({ id: task.id });
    expect(await store.events.lastEventId()).toBe(last);
    lock.release();
    expect(await written).toMatchObject([{ id: last + 1 }]);
  });

  it("refuses writes with a clear error when it stays locked, and works again afterwards", async () => {
    await store.close();
    await open(0);
    const lock = lockFromOutside();
    const refused = Promise.allSettled([1, 2].map(() => store.events.appendEvents([sampleEvent()])));
    const problem = { message: expect.stringMatching(/Another program has locked .*nothing was written/) };
    for (const result of await refused) expect(result).toMatchObject({ status: "rejected", reason: problem });
    expect(await store.events.lastEventId()).toBe(0);
    lock.release();
    expect(await store.events.appendEvents([sampleEvent()])).toHaveLength(1);
  });
});

describe("SQLite writes at the same time", () => {
  it("share a commit, and a write that fails changes nothing and does not affect the others", async () => {
    const { task } = await startTask(store);
    const published: string[] = [];
    store.events.onEvents((events) => published.push(...events.map(({ summary }) => summary)));
    const append = (summary: string) => store.events.appendEvents([sampleEvent({ summary })]);
    const exec = vi.spyOn(database, "exec");
    const stale = committing({ ...task, version: 7 }, { events: [sampleEvent({ summary: "stale" })] });
    const results = await Promise.allSettled([
      append("first"),
      append("second"),
      store.tasks.commit(stale),
      append("third"),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect(results[2]).toMatchObject({ reason: expect.any(StaleTaskError) });
    expect(published).toEqual(["first", "second", "third"]);
    // The first write need not wait for the others.
    expect(exec.mock.calls.filter(([text]) => text === "commit").length).toBeLessThanOrEqual(2);
  });

  it("fail one by one when the disk is full", async () => {
    database.exec("pragma max_page_count = 60");
    const huge = creating(sampleTask({ description: "x".repeat(500_000) }));
    const results = await Promise.allSettled([
      store.events.appendEvents([sampleEvent()]),
      store.events.appendEvents([sampleEvent()]),
      store.tasks.createTask(huge),
      store.events.appendEvents([sampleEvent()]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect(results[2]).toMatchObject({ reason: expect.any(MachineError) });
    expect(await store.events.lastEventId()).toBe(3);
    expect(await store.checkIntegrity()).toEqual([]);
  });
});
