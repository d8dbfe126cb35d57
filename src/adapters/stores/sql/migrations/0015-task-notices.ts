import type { Migration } from "./migration.ts";
import { createIndex } from "./table.ts";

/** Adds the index for the notices of a task. */
export const taskNotices: Migration = {
  version: 15,
  async up(tx) {
    await createIndex(tx, "notices", ["task", "id"]);
  },
};
