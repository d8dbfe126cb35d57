import type { Migration } from "./migration.ts";
import { createTable } from "./table.ts";

/** Adds parked agents, and the account of each run, by which the runs of a parked agent are found. */
export const parkedAgents: Migration = {
  version: 12,
  async up(tx, differences) {
    await createTable(tx, differences, "parked_agents", {
      account: "id",
      agent: "text",
      kind: "text",
      reason: "text",
      since: "bigint",
      tries: "integer",
      until: "bigint",
      probe: "text?",
    }).execute();
    await tx.schema.alterTable("runs").addColumn("account", "text").execute();
  },
};
