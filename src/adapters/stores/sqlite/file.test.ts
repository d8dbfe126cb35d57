import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UserError } from "../../../core/text/errors.ts";
import { SILENT_LOG, creating, sampleEvent, sampleTask, startTask } from "../../../testing/store/samples.ts";
import { MIGRATIONS } from "../sql/migrations/list.ts";
import type { Migration } from "../sql/migrations/migration.ts";
import { openDatabase, openSqliteStore, openStore } from "./open.ts";

let directory = "";
let file = "";

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightshift-store-"));
  file = join(directory, "nightshift.db");
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

const open = (migrations: readonly Migration[] = MIGRATIONS) => openSqliteStore({ file, log: SILENT_LOG, migrations });

async function expectRefusal(opening: Promise<unknown>, kind: string, message: RegExp): Promise<void> {
  await expect(opening).rejects.toThrow(UserError);
  await expect(opening).rejects.toMatchObject({
    kind,
    message: expect.stringMatching(message),
    hint: expect.any(String),
  });
}

describe("SQLite file", () => {
  it("is private and leaves only itself and the lock file behind", async () => {
    const store = await open();
    await startTask(store);
    for (const name of ["nightshift.db", "nightshift.db-wal"])
      expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
    await store.close();
    expect((await readdir(directory)).toSorted()).toEqual(["nightshift.db", "nightshift.db.lock"]);
  });

  it("can be opened only once, even through a link, and again after close", async () => {
    const store = await open();
    await symlink(file, join(directory, "alias.db"));
    await expectRefusal(open(), "conflict", /Another Nightshift daemon uses/);
    await expectRefusal(openSqliteStore({ file: join(directory, "alias.db"), log: SILENT_LOG }), "conflict", /Another/);
    await store.events.appendEvents([sampleEvent()]);
    await store.close();
    const again = await open();
    expect(await again.events.lastEventId()).toBe(1);
    await again.close();
  });

  it("is refused with a clear message if it cannot be a database", async () => {
    await writeFile(file, "these are notes, and no database at all; ".repeat(50));
    await expectRefusal(open(), "unavailable", /nightshift\.db is damaged or not a SQLite database/);
    expect(await readFile(file, "utf8")).toContain("these are notes");
    await expectRefusal(openSqliteStore({ file: directory, log: SILENT_LOG }), "unavailable", /is not a file/);
    await expectRefusal(
      openSqliteStore({ file: join(directory, "no", "x.db"), log: SILENT_LOG }),
      "unavailable",
      /directory of .* does not exist/,
    );
    await mkdir(join(directory, "sub.db.lock"));
    await expectRefusal(
      openSqliteStore({ file: join(directory, "sub.db"), log: SILENT_LOG }),
      "unavailable",
      /sub\.db\.lock cannot be opened/,
    );
  });

  it.each(["", "no lock ".repeat(100), "SQLite format 3\0"])("opens with a damaged lock file", async (content) => {
    await (await open()).close();
    await writeFile(`${file}.lock`, content);
    const store = await open();
    await expectRefusal(open(), "conflict", /Another Nightshift daemon uses/);
    await store.close();
  });

  it("is not changed if it has tables of another program", async () => {
    const other = new DatabaseSync(file);
    other.exec("create table songs (title text)");
    other.close();
    await expectRefusal(open(), "conflict", /songs.*not Nightshift's/);
    const [one] = new DatabaseSync(file, { readOnly: true }).prepare("select count(*) as n from sqlite_master").all();
    expect(one).toEqual({ n: 1 });
  });

  it("may be empty and becomes a new database", async () => {
    await writeFile(file, "");
    const store = await open();
    expect(await store.events.lastEventId()).toBe(0);
    await store.close();
  });

  it("reports damage", async () => {
    const store = await open();
    for (let i = 0; i < 200; i++) await store.tasks.createTask(creating(sampleTask({ description: "x".repeat(500) })));
    await store.close();
    const bytes = await readFile(file);
    bytes.fill(0xa5, 4096 * 12, 4096 * 20);
    await writeFile(file, bytes);
    const damaged = await open();
    expect((await damaged.checkIntegrity()).length).toBeGreaterThan(0);
    await damaged.close();
  });
});

describe("SQLite backup", () => {
  it("copies everything to a new file that opens, and refuses an existing file", async () => {
    const store = await open();
    const { task } = await startTask(store);
    const copy = join(directory, "copy.db");
    await store.backup(copy);
    await expectRefusal(store.backup(copy), "conflict", /already exists/);
    await expectRefusal(store.backup(join(directory, "no", "copy.db")), "unavailable", /cannot be opened/);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    const opened = await openSqliteStore({ file: copy, log: SILENT_LOG });
    expect(await opened.tasks.getTask(task.id)).toEqual(task);
    await opened.close();
    await store.close();
    expect((await readdir(directory)).filter((name) => name.includes("partial"))).toEqual([]);
  });
});

describe("SQLite migrations", () => {
  const known = MIGRATIONS.at(-1)?.version ?? 0;
  const addNotes: Migration = {
    version: known + 1,
    up: async (tx) => tx.schema.createTable("notes").addColumn("text", "text").execute(),
  };
  const breaks: Migration = {
    version: known + 2,
    async up(tx) {
      await tx.schema.alterTable("events").dropColumn("summary").execute();
      throw new Error("the last migration fails");
    },
  };

  it("make no backup of a new database", async () => {
    await (await open([...MIGRATIONS, addNotes])).close();
    expect((await readdir(directory)).filter((name) => name.includes("backup"))).toEqual([]);
  });

  it("back up an existing database before they change it", async () => {
    const store = await open();
    await store.events.appendEvents([sampleEvent()]);
    await store.close();
    const copy = `${file}.backup-v${known}`;
    await writeFile(copy, "an older attempt");
    await (await open([...MIGRATIONS, addNotes])).close();
    const backup = await openSqliteStore({ file: copy, log: SILENT_LOG });
    expect(await backup.events.lastEventId()).toBe(1);
    await backup.close();
    const newer = new RegExp(
      `schema version ${known + 1}, but this version of Nightshift supports only up to ${known}`,
    );
    await expectRefusal(open(), "conflict", newer);
  });

  it("leave the database as it was when one of them fails", async () => {
    const store = await open();
    await store.events.appendEvents([sampleEvent()]);
    await store.close();
    await expect(open([...MIGRATIONS, addNotes, breaks])).rejects.toThrow("the last migration fails");
    const same = await open();
    expect(await same.events.listEvents({ after: 0, task: null, limit: 9 })).toHaveLength(1);
    await same.close();
    const tables = new DatabaseSync(file, { readOnly: true })
      .prepare("select name from sqlite_master where name = 'notes'")
      .all();
    expect(tables).toEqual([]);
  });

  it("refuse a database of a newer Nightshift without changing it", async () => {
    await (await open()).close();
    const newer = new DatabaseSync(file);
    newer.exec("update meta set value = '99' where name = 'schema_version'");
    newer.close();
    const before = await readFile(file);
    await expectRefusal(open(), "conflict", new RegExp(`schema version 99, .* only up to ${known}`));
    expect(await readFile(file)).toEqual(before);
    expect(existsSync(`${file}.backup-v99`)).toBe(false);
  });
});

async function openWith(pragma: string) {
  const database = openDatabase(file);
  const store = await openStore({ database, file, log: SILENT_LOG, migrations: MIGRATIONS, release: () => {} });
  database.exec(pragma);
  return { store, database };
}

describe("SQLite on a failing machine", () => {
  it("a full disk gives a clear error, writes nothing partially, and works again when there is space", async () => {
    const { store, database } = await openWith("pragma max_page_count = 60");
    const huge = sampleTask({ description: "x".repeat(500_000) });
    await expectRefusal(
      store.tasks.createTask(creating(huge, { events: [sampleEvent()] })),
      "unavailable",
      /disk of .* is full/,
    );
    expect(await store.tasks.getTask(huge.id)).toBeNull();
    expect(await store.events.lastEventId()).toBe(0);
    database.exec("pragma max_page_count = 100000");
    await store.tasks.createTask(creating(huge));
    expect(await store.checkIntegrity()).toEqual([]);
    await store.close();
  });

  it("a read-only database gives a clear error", async () => {
    const { store } = await openWith("pragma query_only = on");
    await expectRefusal(store.events.appendEvents([sampleEvent()]), "unavailable", /is read-only/);
    await store.close();
  });
});
