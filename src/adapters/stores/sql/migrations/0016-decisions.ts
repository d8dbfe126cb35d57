import type { Migration } from "./migration.ts";
import { createIndex } from "./table.ts";

/** Adds the index for the decisions about a task. */
export const decisions: Migration = {
  version: 16,
  async up(tx) {
    await createIndex(tx, "events", ["task", "type", "at"]);
  },
};
