import type { Migration } from "./migration.ts";
import { createIndex } from "./table.ts";

/** Adds an index with everything that tasks are searched by, so that a search reads no tasks. */
export const taskSearch: Migration = {
  version: 17,
  async up(tx) {
    const searched = ["status", "project", "pipeline", "state", "branch", "title", "tags", "options"];
    await tx.schema
      .createIndex("tasks_search")
      .on("tasks")
      .columns(["created_at", "id", ...searched])
      .execute();
    await createIndex(tx, "runs", ["task", "agent"]);
  },
};
