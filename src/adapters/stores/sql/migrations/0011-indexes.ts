import { sql } from "kysely";
import type { Migration } from "./migration.ts";
import { createIndex } from "./table.ts";

/** Adds an index for each combination of filters, so that no query reads rows that it does not return. Drops unused ones. */
export const indexes: Migration = {
  version: 11,
  async up(tx) {
    await createIndex(tx, "tasks", ["project", "status", "created_at", "id"]);
    await createIndex(tx, "tasks", ["state", "status", "created_at", "id"]);
    await createIndex(tx, "tasks", ["project", "state", "status", "created_at", "id"]);
    await createIndex(tx, "tasks", ["finished_at", "id"]);

    await tx.schema.dropIndex("runs_by_finished_at").execute();
    await tx.schema.dropIndex("runs_by_status_not_before").execute();
    await createIndex(tx, "runs", ["status", "created_at", "id"]);
    await createIndex(tx, "runs", ["project", "created_at", "id"]);
    await createIndex(tx, "runs", ["project", "status", "created_at", "id"]);

    await tx.schema.dropIndex("notices_by_next_at").execute();
    await tx.schema
      .createIndex("notices_pending")
      .on("notices")
      .columns(["project", "channel", "id"])
      .where(sql<boolean>`next_at is not null`)
      .execute();
    await createIndex(tx, "notices", ["project", "channel", "id"]);

    await tx.schema.dropIndex("proposals_by_project_at").execute();
    await createIndex(tx, "proposals", ["at desc", "id"]);
    await createIndex(tx, "proposals", ["status", "at desc", "id"]);
    await createIndex(tx, "proposals", ["project", "at desc", "id"]);
    await createIndex(tx, "proposals", ["project", "status", "at desc", "id"]);
    await createIndex(tx, "proposals", ["project", "patch", "status", "at desc", "id"]);
    await tx.schema
      .createIndex("proposals_unexplained")
      .on("proposals")
      .columns(["project", "status", "at desc", "id"])
      .where(sql<boolean>`reason is null and asked_at is null`)
      .execute();

    await createIndex(tx, "baselines", ["at"]);
  },
};
