import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../sqlite/open.ts";
import { sampleEvent, sampleProject, SILENT_LOG } from "../../../testing/store/samples.ts";
import type { Store } from "../../../ports/store.ts";
import { createBackup, type BackupResult } from "./backup.ts";
import { restoreBackup, type RestoreResult } from "./restore.ts";

const NOW = Date.UTC(2026, 10, 15, 21);

let dir: string;
let home: string;
let target: string;
let file: string;
let store: Store;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "nightshift-backup-"));
  home = join(dir, "home");
  target = join(dir, "target");
  file = join(dir, "backup.gz");
  for (const folder of [home, target]) mkdirSync(folder, { mode: 0o700 });
  store = await openSqliteStore({ file: join(home, "nightshift.db"), log: SILENT_LOG });
  await store.projects.saveProject(sampleProject(), sampleEvent());
});
afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true });
});

function write(path: string, text: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text, { mode });
}

const backup = (to = file): Promise<BackupResult> =>
  createBackup({ home, db: join(home, "nightshift.db"), file: to, version: "1.2.3", now: NOW });
const restore = (from = file, force = false): Promise<RestoreResult> =>
  restoreBackup({ home: target, db: join(target, "nightshift.db"), file: from, force, now: NOW });

/** Rewrites the backup with changed content. */
function change(statement: string): string {
  const copy = join(dir, "changed.db");
  writeFileSync(copy, gunzipSync(readFileSync(file)));
  const database = new DatabaseSync(copy);
  database.exec(statement);
  database.close();
  writeFileSync(`${copy}.gz`, gzipSync(readFileSync(copy)));
  return `${copy}.gz`;
}

describe("backup", () => {
  it("contains the database with its write-ahead log while a store is open, and no mirrors, checkouts, sockets or locks", async () => {
    write("config.yaml", "# mine\n");
    write("prompts/mine.md", "Be brief.\n");
    write("auth/keys.json", "{}", 0o600);
    write("runs/run_1/transcript.jsonl", Buffer.alloc(9_000_000, "x"));
    write("runs/run_1/tmp/scratch", "x");
    write("mirrors/shop.git/HEAD", "x");
    write("mirrors/shop.git/rescue.git/refs/nightshift/rescue/task_1", "abc\n");
    symlinkSync(join(home, "mirrors/shop.git/shallow"), join(home, "mirrors/shop.git/rescue.git/shallow"));
    symlinkSync("/etc/passwd", join(home, "outside"));
    write("workspaces/task_1/run_1/file", "x");
    write("workspaces/task_1/engine.git/objects/ab/cd", "x");
    write("workspaces/task_1/engine.git/trees/run_1.index", "x");
    for (const name of ["daemon.json", "s/socket", "homes/task_1/x", "nightshift.db.backup-v1"]) write(name, "x");
    chmodSync(join(home, "workspaces/task_1/engine.git/objects"), 0o755);
    expect(statSync(join(home, "nightshift.db-wal")).size).toBeGreaterThan(0);
    expect(await backup()).toMatchObject({ file, files: 6 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await restore()).toEqual({
      version: "1.2.3",
      createdAt: "2026-11-15T21:00:00.000Z",
      tasks: 0,
      files: 6,
      movedTo: null,
    });
    const found = readdirSync(target, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(target.length + 1));
    expect(found.toSorted()).toEqual([
      "auth/keys.json",
      "config.yaml",
      "mirrors/shop.git/rescue.git/refs/nightshift/rescue/task_1",
      "mirrors/shop.git/rescue.git/shallow",
      "nightshift.db",
      "nightshift.db.lock",
      "prompts/mine.md",
      "runs/run_1/transcript.jsonl",
      "workspaces/task_1/engine.git/objects/ab/cd",
    ]);
    expect(statSync(join(target, "auth/keys.json")).mode & 0o777).toBe(0o600);
    expect(statSync(join(target, "workspaces/task_1/engine.git/objects")).mode & 0o777).toBe(0o755);
    expect(statSync(join(target, "runs/run_1/transcript.jsonl")).size).toBe(9_000_000);
    expect(readlinkSync(join(target, "mirrors/shop.git/rescue.git/shallow"))).toBe(
      join(target, "mirrors/shop.git/shallow"),
    );
    const again = await openSqliteStore({ file: join(target, "nightshift.db"), log: SILENT_LOG });
    expect(await again.projects.getProject("shop")).toEqual(await store.projects.getProject("shop"));
    expect(await again.checkIntegrity()).toEqual([]);
    await again.close();
  });

  it("refuses an existing file, a file inside the home, a missing folder and a home without data", async () => {
    writeFileSync(file, "");
    await expect(backup()).rejects.toThrow("already exists");
    symlinkSync(home, join(dir, "link"));
    for (const inside of [join(home, "b.gz"), join(dir, "link/b.gz")])
      await expect(backup(inside)).rejects.toThrow("inside Nightshift's home");
    await expect(backup(join(dir, "none/b.gz"))).rejects.toThrow("does not exist");
    await expect(
      createBackup({
        home: target,
        db: join(target, "nightshift.db"),
        file: join(dir, "c.gz"),
        version: "1",
        now: NOW,
      }),
    ).rejects.toThrow("nothing to back up");
    expect(readdirSync(dir).filter((name) => name.includes("partial"))).toEqual([]);
  });
});

describe("restore", () => {
  it("refuses over existing data, and moves it aside if forced", async () => {
    await backup();
    writeFileSync(join(target, "config.yaml"), "# mine\n");
    await expect(restore()).rejects.toThrow("already contains data: config.yaml");
    const { movedTo } = await restore(file, true);
    expect(readFileSync(join(movedTo ?? "", "config.yaml"), "utf8")).toBe("# mine\n");
    expect(existsSync(join(target, "config.yaml"))).toBe(false);
    expect(existsSync(join(target, "nightshift.db"))).toBe(true);
  });

  it("refuses while a daemon uses the home", async () => {
    await backup();
    const running = await openSqliteStore({ file: join(target, "nightshift.db"), log: SILENT_LOG });
    await expect(restore(file, true)).rejects.toThrow("Another Nightshift daemon uses");
    expect(await running.checkIntegrity()).toEqual([]);
    await running.close();
  });

  it("refuses a damaged, cut off or foreign file, and changes nothing", async () => {
    await backup();
    const bytes = readFileSync(file);
    const flipped = Buffer.from(bytes);
    flipped[flipped.length >> 1] = (flipped[flipped.length >> 1] ?? 0) ^ 0xff;
    const broken = { cut: bytes.subarray(0, -100), flipped, foreign: gzipSync("no database"), plain: "x", empty: "" };
    for (const [name, content] of Object.entries(broken)) {
      writeFileSync(join(dir, name), content);
      await expect(restore(join(dir, name)), name).rejects.toThrow("is not a backup of Nightshift, or it is damaged");
    }
    await expect(restore(join(dir, "none"))).rejects.toThrow("does not exist");
    expect(readdirSync(target)).toEqual(["nightshift.db.lock"]);
  });

  it.each([
    ["a newer database", "update meta set value = '9999' where name = 'schema_version'", "newer version"],
    ["a newer format", "update nightshift_backup set value = '2' where name = 'format'", "newer version"],
    ["a path above the home", "update nightshift_backup_files set path = '../x' where path = 'config.yaml'", "outside"],
    ["an absolute path", "update nightshift_backup_files set path = '/x' where path = 'config.yaml'", "outside"],
    [
      "a link out of the home",
      "insert into nightshift_backup_files values ('x', 0, 'link', null, '../../etc', null)",
      "outside",
    ],
    [
      "a path behind a link",
      "insert into nightshift_backup_files values ('x', 0, 'link', null, 'logs', null), ('x//y', 0, 'link', null, 'auth', null)",
      "outside",
    ],
  ])("refuses %s", async (_, statement, message) => {
    write("config.yaml", "# mine\n");
    await backup();
    await expect(restore(change(statement))).rejects.toThrow(message);
    expect(readdirSync(target)).toEqual(["nightshift.db.lock"]);
  });
});
