import type { Differences } from "../differences.ts";
import type { Tx } from "../schema.ts";

/** One step forward of the schema. Runs inside a transaction with every other pending one: all or none. */
export interface Migration {
  readonly version: number;
  up(tx: Tx, differences: Differences): Promise<void>;
}
