import type { SignInRow, StoredAnswer, TokenRow } from "../../../../ports/store-people.ts";
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
  const removed = await tx.deleteFrom("tokens").where("name", "=", name).returning("hash").executeTakeFirst();
  if (removed === undefined) return false;
  await tx.deleteFrom("sign_ins").where("token", "=", removed.hash).execute();
  return true;
}

export async function addLink(tx: Tx, link: SignInRow): Promise<void> {
  await tx.deleteFrom("sign_ins").where("until", "<=", link.createdAt).execute();
  await tx.insertInto("sign_ins").values(toColumns(link)).execute();
}

export async function findSignIn(db: Db, kind: SignInRow["kind"], hash: string): Promise<SignInRow | null> {
  const row = await db
    .selectFrom("sign_ins")
    .selectAll()
    .where("hash", "=", hash)
    .where("kind", "=", kind)
    .executeTakeFirst();
  return row === undefined ? null : toFields(row);
}

export async function removeSignIn(tx: Tx, kind: SignInRow["kind"], hash: string): Promise<boolean> {
  const result = await tx.deleteFrom("sign_ins").where("hash", "=", hash).where("kind", "=", kind).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function addSession(tx: Tx, session: SignInRow): Promise<void> {
  await tx.insertInto("sign_ins").values(toColumns(session)).execute();
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
