import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { parseOpencodeLine } from "./lines.ts";

const PROGRAM = join(import.meta.dirname, "move-session.ts");
let store: string;

beforeEach(() => {
  const dir = mkdtempSync(join(tmpdir(), "nightshift-move-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  store = join(dir, "opencode.db");
});

function move(session: string) {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, store, session, "/w/run_2"], { encoding: "utf8" });
  return { status, events: stderr.trim().split("\n").flatMap(parseOpencodeLine) };
}

function createStore(table: string): void {
  const db = new DatabaseSync(store);
  db.exec(`CREATE TABLE ${table} (id text PRIMARY KEY, directory text NOT NULL)`);
  db.exec(`INSERT INTO ${table} VALUES ('ses_1', '/w/run_1'), ('ses_2', '/w/run_1')`);
  db.close();
}

test("move-session: moves only the given session to the new folder", () => {
  createStore("session");
  expect(move("ses_1")).toMatchObject({ status: 0 });
  const db = new DatabaseSync(store);
  expect(db.prepare("SELECT id, directory FROM session").all()).toEqual([
    { id: "ses_1", directory: "/w/run_2" },
    { id: "ses_2", directory: "/w/run_1" },
  ]);
  db.close();
});

test.each([
  ["no store", () => undefined, "opencode has no session store"],
  ["a store without the session", () => createStore("session"), "it is not in the session store"],
  ["an unknown store format", () => createStore("sessions"), "no such table"],
  ["a file that is no database", () => writeFileSync(store, "x".repeat(5000)), "not a database"],
])("move-session: reports an unknown session with %s", (_, prepare, why) => {
  prepare();
  const { status, events } = move("ses_3");
  expect(status).toBe(1);
  expect(events).toContainEqual({ type: "error", message: expect.stringContaining(why), failure: "session_unknown" });
});
