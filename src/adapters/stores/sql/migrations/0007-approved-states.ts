import type { Migration } from "./migration.ts";

/** Adds the states that people moved a task to. Nothing is known about the decisions on older tasks. */
export const approvedStates: Migration = {
  version: 7,
  async up(tx) {
    await tx.schema
      .alterTable("tasks")
      .addColumn("approved_states", "text", (column) => column.notNull().defaultTo("[]"))
      .execute();
  },
};
