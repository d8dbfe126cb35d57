import type { ColumnDefinitionBuilder } from "kysely";
import type { Tx } from "./schema.ts";

/** All that the shared queries and migrations need to know of the database they speak to. */
export interface Differences {
  readonly identityType: "integer" | "bigint";
  /** Makes a column of `identityType` the primary key: ids rise and never come back, even after the highest row is deleted. */
  identity(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /** Text ids are compared byte by byte, or a range of ids is not a prefix. */
  collate(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /**
   * Lets one writing transaction at a time past this point, until it ends. Admission counts under it,
   * and event ids rise in the order of commits because of it.
   */
  serialize(tx: Tx): Promise<void>;
}
