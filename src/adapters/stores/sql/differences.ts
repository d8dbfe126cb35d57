import type { ColumnDefinitionBuilder } from "kysely";
import type { Tx } from "./schema.ts";

/** Differences between databases that the shared queries and migrations need to know. */
export interface Differences {
  readonly identityType: "integer" | "bigint";
  /** Makes a column of `identityType` the primary key. Ids increase and are never reused, even after the last row is deleted. */
  identity(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /** Makes a text column compare byte by byte. Otherwise prefix searches by range would not work. */
  collate(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /**
   * Lets only one writing transaction at a time continue past this point. Admission relies on it for its counts, and it
   * guarantees that event ids increase in commit order.
   */
  serialize(tx: Tx): Promise<void>;
  /** Whether a transaction failed before its first query because another program has locked the database. */
  isLocked(error: unknown): boolean;
}
