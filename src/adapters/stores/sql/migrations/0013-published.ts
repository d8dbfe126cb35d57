import type { Migration } from "./migration.ts";

/** Adds what is known about a task's branch on the remote. */
export const published: Migration = {
  version: 13,
  async up(tx) {
    await tx.schema.alterTable("tasks").addColumn("published", "text").execute();
  },
};
