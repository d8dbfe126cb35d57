import { UserError } from "../../../core/text/errors.ts";
import type { Differences } from "./differences.ts";
import type { Migration } from "./migrations/migration.ts";
import type { Db } from "./schema.ts";

export interface MigrateParams {
  readonly db: Db;
  readonly differences: Differences;
  readonly migrations: readonly Migration[];
  /** Description of the database for messages: a file or a host. */
  readonly where: string;
  /** Called before a non-empty database is changed. */
  readonly backup: (version: number) => Promise<void>;
}

/** Migrates the schema to the latest version, with all pending steps in one transaction. Throws if the database is newer or foreign. */
export async function migrate({
  db,
  differences,
  migrations,
  where,
  backup,
}: MigrateParams): Promise<{ from: number; to: number }> {
  const known = migrations.at(-1)?.version ?? 0;
  const found = await readVersion(db, where);
  if (found > known) {
    throw new UserError(
      "conflict",
      `${where} has schema version ${found}, but this version of Nightshift supports only up to ${known}.`,
      "Use the newer Nightshift that wrote it, or restore a backup made by this version.",
    );
  }
  if (found === known) return { from: found, to: known };
  if (found > 0) await backup(found);
  await db.transaction().execute(async (tx) => {
    if (found === 0) {
      await tx.schema
        .createTable("meta")
        .addColumn("name", "text", (column) => column.primaryKey().notNull())
        .addColumn("value", "text", (column) => column.notNull())
        .execute();
    }
    for (const migration of migrations) if (migration.version > found) await migration.up(tx, differences);
    await tx
      .insertInto("meta")
      .values({ name: "schema_version", value: String(known) })
      .onConflict((conflict) => conflict.column("name").doUpdateSet({ value: String(known) }))
      .execute();
  });
  return { from: found, to: known };
}

/** Returns 0 for a database without tables. */
async function readVersion(db: Db, where: string): Promise<number> {
  const tables = await db.introspection.getTables();
  if (tables.length === 0) return 0;
  const row = tables.some((table) => table.name === "meta")
    ? await db.selectFrom("meta").select("value").where("name", "=", "schema_version").executeTakeFirst()
    : undefined;
  const version = Number(row?.value);
  if (Number.isInteger(version) && version > 0) return version;
  throw new UserError(
    "conflict",
    `${where} holds tables (${tables
      .map((table) => table.name)
      .slice(0, 3)
      .join(", ")} …) that are not Nightshift's.`,
    "Use another file or database. Nightshift has not changed this one.",
  );
}
