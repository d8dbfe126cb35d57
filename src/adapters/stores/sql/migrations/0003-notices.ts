import { sql } from "kysely";
import type { NoticeData } from "../../../../core/notices/notice.ts";
import type { TaskStatus } from "../../../../core/task/task.ts";
import type { Migration } from "./migration.ts";

const STATUSES = { finished: "succeeded", failed: "failed", waiting: "waiting" } as const;

/** Adds the project to notices, because each project has its own channels, and the data of the notice. */
export const notices: Migration = {
  version: 3,
  async up(tx) {
    const table = tx.schema.alterTable("notices");
    await table.addColumn("project", "text", (column) => column.notNull().defaultTo("")).execute();
    await table.addColumn("data", "text", (column) => column.notNull().defaultTo("{}")).execute();
    await sql`
      update notices set project = coalesce((select tasks.project from tasks where tasks.id = notices.task), '')
    `.execute(tx);
    for (const [kind, status] of Object.entries(STATUSES))
      await sql`update notices set data = ${JSON.stringify(unknownNoticeData(status))} where kind = ${kind}`.execute(
        tx,
      );
  },
};

function unknownNoticeData(status: TaskStatus): NoticeData {
  return {
    pipeline: "",
    status,
    state: "",
    outcome: null,
    category: null,
    reason: null,
    url: null,
    costUsd: null,
    durationMs: 0,
    waitingFor: null,
    next: [],
  };
}
