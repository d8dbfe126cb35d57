import type { Migration } from "./migration.ts";
import { createTable } from "./table.ts";

/** Adds a table for the progress of each schedule of each project. */
export const schedules: Migration = {
  version: 4,
  async up(tx, differences) {
    await createTable(tx, differences, "marks", {
      id: "id",
      project: "text",
      name: "text",
      expression: "text",
      time_zone: "text",
      at: "bigint",
      task: "text?",
    }).execute();
  },
};
