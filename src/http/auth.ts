import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { StoreReader } from "../ports/store-mutations.ts";
import type { Via } from "../core/task/decision.ts";
import { requireRight, type Right } from "../core/task/requester.ts";
import { UserError } from "../core/text/errors.ts";
import type { Access } from "./contract/route.ts";
import { CLI_AGENT } from "./client/cli-agent.ts";
import { RequestError } from "./problem.ts";

/** An authenticated caller and their rights. */
export interface Caller {
  readonly name: string;
  readonly rights: readonly Right[];
}

export interface AuthDeps {
  readonly store: Pick<StoreReader, "people">;
  /** The daemon's own token from `daemon.json`. */
  readonly ownerToken: string;
  /** The OS user that runs the daemon. Requests with the daemon's own token act under this name. */
  readonly owner: string;
}

export const COOKIE = "nightshift";
const ANYONE: Caller = { name: "anyone", rights: [] };

/** Authenticates the caller and checks their rights. Throws an error with status 401 or 403. */
export async function authorize(request: Request, access: Access, deps: AuthDeps, now: number): Promise<Caller> {
  if (access === null) return ANYONE;
  const caller = (await callerByToken(request, deps)) ?? callerByCookie(request, deps, now);
  if (caller === null) {
    throw new RequestError(401, "Missing or unknown token.", {
      hint: 'Send "Authorization: Bearer <token>" with the token from daemon.json or from "nightshift token add <name>". The command line reads it from NIGHTSHIFT_TOKEN.',
    });
  }
  if (access !== "read") requireRight(caller, access);
  return caller;
}

export async function isAuthorized(request: Request, access: Access, deps: AuthDeps, now: number): Promise<boolean> {
  return await authorize(request, access, deps, now).then(
    () => true,
    (error: unknown) => {
      if (error instanceof RequestError || error instanceof UserError) return false;
      throw error;
    },
  );
}

export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * Creates the value of the cookie that signs the owner in until the given time. It does not contain the token, because
 * browsers send cookies to other ports of this host too.
 */
export function sealCookie(ownerToken: string, until: number): string {
  return `${until}.${createHmac("sha256", ownerToken).update(`cookie:${until}`).digest("base64url")}`;
}

async function callerByToken(request: Request, { store, ownerToken, owner }: AuthDeps): Promise<Caller | null> {
  const token = /^Bearer +([^\s]+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (token === undefined) return null;
  if (isSame(token, ownerToken)) return { name: owner, rights: ["admin"] };
  return await store.people.findToken(hashToken(token));
}

/**
 * Browsers add cookies to requests from other pages too. A request that changes something therefore also needs an Origin
 * header, which guard.ts has already compared with our own.
 */
function callerByCookie(request: Request, { ownerToken, owner }: AuthDeps, now: number): Caller | null {
  const value = new RegExp(`(?:^|;\\s*)${COOKIE}=([^;]+)`).exec(request.headers.get("cookie") ?? "")?.[1];
  if (value === undefined) return null;
  if (request.method !== "GET" && request.headers.get("origin") === null) return null;
  const until = Number(value.split(".")[0]);
  if (!Number.isSafeInteger(until) || until <= now || !isSame(value, sealCookie(ownerToken, until))) return null;
  return { name: owner, rights: ["admin"] };
}

/** How a person sent a request. Only for the record: a client can claim to be another one. */
export function viaOf({ headers }: Request): Via {
  if (headers.get("authorization") === null) return "page";
  return headers.get("user-agent") === CLI_AGENT ? "cli" : "api";
}

/** Compares in constant time. Hashing makes the lengths equal. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(createHash("sha256").update(a).digest(), createHash("sha256").update(b).digest());
}
