import type { Migration } from "./migration.ts";
import { createTable } from "./table.ts";

/** How far each schedule of each project has been dealt with. */
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
