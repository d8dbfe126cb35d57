import type { Differences } from "../differences.ts";
import type { Tx } from "../schema.ts";

/** One step of the schema. All pending migrations run in one transaction. */
export interface Migration {
  readonly version: number;
  up(tx: Tx, differences: Differences): Promise<void>;
}
