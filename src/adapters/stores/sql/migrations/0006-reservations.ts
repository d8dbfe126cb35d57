import type { Migration } from "./migration.ts";

/** Adds the amount that an open run has reserved from the budgets of the night and the month. */
export const reservations: Migration = {
  version: 6,
  async up(tx) {
    await tx.schema.alterTable("runs").addColumn("reserved_nano_usd", "bigint").execute();
  },
};
