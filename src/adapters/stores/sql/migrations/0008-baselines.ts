import type { Migration } from "./migration.ts";
import { createTable } from "./table.ts";

/** Adds a table for the results of checks on base commits. */
export const baselines: Migration = {
  version: 8,
  async up(tx, differences) {
    await createTable(tx, differences, "baselines", {
      key: "id",
      project: "text",
      result: "text",
      at: "bigint",
    }).execute();
  },
};
