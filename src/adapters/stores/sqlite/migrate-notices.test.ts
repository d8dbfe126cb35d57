import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { messageOf } from "../../../core/notices/notice-message.ts";
import { SILENT_LOG } from "../../../testing/store/samples.ts";
import { createTempDir, type TempDir } from "../../../testing/temp-repo.ts";
import { start } from "../sql/migrations/0001-start.ts";
import { openSqliteStore } from "./open.ts";

let dir: TempDir;

beforeEach(async () => {
  dir = await createTempDir();
});
afterEach(async () => {
  await dir.remove();
});

it("migration of notices: a notice of an older version can still be sent", async () => {
  const file = join(dir.path, "nightshift.db");
  await (await openSqliteStore({ file, log: SILENT_LOG, migrations: [start] })).close();
  const database = new DatabaseSync(file);
  database.exec(`
    insert into notices (channel, kind, task, title, text, at, attempts, next_at)
    values ('terminal', 'failed', 'task_gone', 'Greet people', 'failed: too slow', 5, 2, 7)
  `);
  database.close();
  const store = await openSqliteStore({ file, log: SILENT_LOG });
  const [notice] = await store.outbox.dueNotices(7, 9);
  expect(notice).toMatchObject({ project: "", task: "task_gone", title: "Greet people", attempts: 2 });
  if (notice === undefined) throw new Error("it is due");
  expect(messageOf(notice).title).toContain("failed – Greet people");
  await store.outbox.markDelivered(notice.id, 8);
  expect(await store.outbox.dueNotices(Number.MAX_SAFE_INTEGER, 9)).toEqual([]);
  await store.close();
});
