import type { StoredAnswer, TokenRow } from "../../../../ports/store-people.ts";
import { toColumns, toFields } from "../columns.ts";
import { fromJson, toJson } from "../json.ts";
import type { Db, Schema, Tx } from "../schema.ts";

const DAY_MS = 86_400_000;

export async function addToken(tx: Tx, token: TokenRow): Promise<boolean> {
  const result = await tx
    .insertInto("tokens")
    .values({ ...toColumns(token), rights: toJson(token.rights) })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function listTokens(db: Db): Promise<readonly TokenRow[]> {
  return (await db.selectFrom("tokens").selectAll().orderBy("name").execute()).map(toToken);
}

export async function findToken(db: Db, hash: string): Promise<TokenRow | null> {
  const row = await db.selectFrom("tokens").selectAll().where("hash", "=", hash).executeTakeFirst();
  return row === undefined ? null : toToken(row);
}

export async function removeToken(tx: Tx, name: string): Promise<boolean> {
  const result = await tx.deleteFrom("tokens").where("name", "=", name).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

function toToken(row: Schema["tokens"]): TokenRow {
  return { ...toFields(row), rights: fromJson(row.rights) };
}

export async function recallAnswer(db: Db, key: string): Promise<StoredAnswer | null> {
  return (
    (await db.selectFrom("answers").select(["request", "status", "body"]).where("key", "=", key).executeTakeFirst()) ??
    null
  );
}

/** Keeps the first response to a key. A later one belongs to a repetition of the same request. */
export async function keepAnswer(tx: Tx, key: string, answer: StoredAnswer, at: number): Promise<void> {
  await tx
    .deleteFrom("answers")
    .where("at", "<=", at - DAY_MS)
    .execute();
  const { request, status, body } = answer;
  await tx
    .insertInto("answers")
    .values({ key, request, status, body, at })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
}
