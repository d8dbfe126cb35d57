import type { Migration } from "./migration.ts";
import { createIndex } from "./table.ts";

/** Adds the indexes for reports about a period. */
export const report: Migration = {
  version: 14,
  async up(tx) {
    await createIndex(tx, "runs", ["finished_at", "id"]);
    await createIndex(tx, "events", ["type", "at"]);
  },
};
