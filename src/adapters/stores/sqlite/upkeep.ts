import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { sql } from "kysely";
import { UserError } from "../../../core/text/errors.ts";
import type { Db } from "../sql/schema.ts";

/** Returns one message per problem. A failed check is a problem too. */
export async function checkIntegrity(db: Db): Promise<readonly string[]> {
  try {
    const pages = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db);
    const links = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(db);
    return [
      ...pages.rows.map((row) => row.integrity_check).filter((text) => text !== "ok"),
      ...links.rows.map((row) => `A row of ${row.table} references a missing row of ${row.parent}.`),
    ];
  } catch (error) {
    if (error instanceof UserError) return [error.message];
    throw error;
  }
}

export async function backupTo(db: Db, file: string): Promise<void> {
  if (existsSync(file))
    throw new UserError("conflict", `${file} already exists.`, "Use a file name that does not exist yet.");
  await replaceBackup(db, file);
}

/** Writes to a temporary name first, so that a file with the backup's name is always complete. */
export async function replaceBackup(db: Db, file: string): Promise<void> {
  const partial = `${file}.partial`;
  await rm(partial, { force: true });
  try {
    await sql`vacuum into ${partial}`.execute(db);
    const handle = await open(partial, "r+");
    await handle.chmod(0o600);
    await handle.sync();
    await handle.close();
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
