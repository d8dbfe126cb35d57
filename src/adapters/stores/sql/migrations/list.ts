import { start } from "./0001-start.ts";
import type { Migration } from "./migration.ts";

/** In order; a migration that was released is never changed, only followed by another. */
export const MIGRATIONS: readonly Migration[] = [start];
