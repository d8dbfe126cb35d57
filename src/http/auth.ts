import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { StoreReader } from "../ports/store-mutations.ts";
import type { Right } from "../ports/store.ts";
import type { Access } from "./contract/route.ts";
import { RequestError } from "./problem.ts";

/** Who asks, and what they may. */
export interface Caller {
  readonly name: string;
  readonly rights: readonly Right[];
}

export interface AuthDeps {
  readonly store: Pick<StoreReader, "people">;
  /** The daemon's own token, as it stands in `daemon.json`. */
  readonly ownerToken: string;
  /** The OS user the daemon runs as: who holds its token acts under this name. */
  readonly owner: string;
}

export const COOKIE = "nightshift";
const ANYONE: Caller = { name: "anyone", rights: [] };

/** Checks who asks and whether they may; throws 401 or 403 with a sentence. */
export async function authorize(request: Request, access: Access, deps: AuthDeps, now: number): Promise<Caller> {
  if (access === null) return ANYONE;
  const caller = (await callerByToken(request, deps)) ?? callerByCookie(request, deps, now);
  if (caller === null) {
    throw new RequestError(401, "This needs a token, and none was given that is known.", {
      hint: "Send `Authorization: Bearer <token>`: the daemon's own stands in daemon.json, others come from `nightshift token add`.",
    });
  }
  if (access !== "read" && !mayDo(caller, access)) {
    const has = caller.rights.length === 0 ? "may only read" : `may ${caller.rights.join(", ")}`;
    throw new RequestError(403, `This needs the right "${access}"; ${caller.name} ${has}.`, {
      hint: `Someone with the right "admin" can give it: nightshift token add <name> --may ${access}.`,
    });
  }
  return caller;
}

export function mayDo(caller: Caller, right: Right): boolean {
  return caller.rights.includes("admin") || caller.rights.includes(right);
}

export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** The value of the cookie that signs the owner in to the page until a moment. The token itself never stands in it: other ports of this host see cookies too. */
export function sealCookie(ownerToken: string, until: number): string {
  return `${until}.${createHmac("sha256", ownerToken).update(`cookie:${until}`).digest("base64url")}`;
}

async function callerByToken(request: Request, { store, ownerToken, owner }: AuthDeps): Promise<Caller | null> {
  const token = /^Bearer +([^\s]+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (token === undefined) return null;
  if (isSame(token, ownerToken)) return { name: owner, rights: ["admin"] };
  return await store.people.findToken(hashToken(token));
}

/** A browser adds cookies to requests that other pages make: what changes something must also name our own origin, which guard.ts has compared. */
function callerByCookie(request: Request, { ownerToken, owner }: AuthDeps, now: number): Caller | null {
  const value = new RegExp(`(?:^|;\\s*)${COOKIE}=([^;]+)`).exec(request.headers.get("cookie") ?? "")?.[1];
  if (value === undefined) return null;
  if (request.method !== "GET" && request.headers.get("origin") === null) return null;
  const until = Number(value.split(".")[0]);
  if (!Number.isSafeInteger(until) || until <= now || !isSame(value, sealCookie(ownerToken, until))) return null;
  return { name: owner, rights: ["admin"] };
}

/** Equal lengths by hashing, so that the time tells nothing. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(createHash("sha256").update(a).digest(), createHash("sha256").update(b).digest());
}
