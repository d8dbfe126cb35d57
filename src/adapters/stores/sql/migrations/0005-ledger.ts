import type { Migration } from "./migration.ts";
import { createIndex, createTable } from "./table.ts";

/** Adds tables for proposals and rules. They have no foreign keys, because they are kept after their tasks are deleted. */
export const ledger: Migration = {
  version: 5,
  async up(tx, differences) {
    await createTable(tx, differences, "proposals", {
      id: "id",
      project: "text",
      task: "text",
      category: "text",
      title: "text",
      base_commit: "text",
      intent: "text",
      patch: "text?",
      status: "text",
      url: "text?",
      number: "integer?",
      at: "bigint",
      updated_at: "bigint",
      reason: "text?",
      asked_at: "bigint?",
      files: "text",
    }).execute();
    await createIndex(tx, "proposals", ["project", "at"]);
    await createIndex(tx, "proposals", ["task"]);
    await createTable(tx, differences, "rules", {
      id: "id",
      project: "text",
      text: "text",
      proposal: "text?",
      url: "text?",
      by_whom: "text",
      at: "bigint",
      updated_at: "bigint",
      expires_at: "bigint?",
    }).execute();
    await createIndex(tx, "rules", ["project", "at"]);
  },
};
