import type { Migration } from "./migration.ts";
import { createIndex, createTable } from "./table.ts";

/** Adds the one-time links with which people sign in to the page, and the sessions of their browsers. */
export const signIns: Migration = {
  version: 18,
  async up(tx, differences) {
    await createTable(tx, differences, "sign_ins", {
      hash: "id",
      kind: "text",
      token: "text?",
      issuer: "text",
      created_at: "bigint",
      until: "bigint",
    }).execute();
    await createIndex(tx, "sign_ins", ["until"]);
    await createIndex(tx, "sign_ins", ["token"]);
  },
};
