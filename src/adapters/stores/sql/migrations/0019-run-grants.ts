import type { Migration } from "./migration.ts";

/** Adds what a run was granted and limited to when its agent started. */
export const runGrants: Migration = {
  version: 19,
  async up(tx) {
    await tx.schema.alterTable("runs").addColumn("granted", "text").execute();
  },
};
