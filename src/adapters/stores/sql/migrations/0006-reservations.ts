import type { Migration } from "./migration.ts";

/** What an open run may still spend of the night's and the month's money. */
export const reservations: Migration = {
  version: 6,
  async up(tx) {
    await tx.schema.alterTable("runs").addColumn("reserved_nano_usd", "bigint").execute();
  },
};
