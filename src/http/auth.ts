import { createHash, timingSafeEqual } from "node:crypto";
import type { StoreReader } from "../ports/store-mutations.ts";
import type { Via } from "../core/task/decision.ts";
import { requireRight, type Right } from "../core/task/requester.ts";
import { UserError } from "../core/text/errors.ts";
import type { Access } from "./contract/route.ts";
import { CLI_AGENT } from "./client/cli-agent.ts";
import type { SignInRow } from "../ports/store-people.ts";
import type { Address } from "./guard.ts";
import { RequestError } from "./problem.ts";
import { readSessionCookie } from "./session-cookie.ts";

/** An authenticated caller and their rights. */
export interface Caller {
  readonly name: string;
  readonly rights: readonly Right[];
  /** Hash of their token. Null for the owner. */
  readonly token: string | null;
  /** Null if the request has a token instead of a cookie. */
  readonly session: SignInRow | null;
}

export interface AuthDeps {
  readonly store: Pick<StoreReader, "people">;
  /** The daemon's own token from `daemon.json`. */
  readonly ownerToken: string;
  /** The OS user that runs the daemon. Requests with the daemon's own token act under this name. */
  readonly owner: string;
  readonly address: Address;
}

const ANYONE: Caller = { name: "anyone", rights: [], token: null, session: null };

/** Authenticates the caller and checks their rights. Throws an error with status 401 or 403. */
export async function authorize(request: Request, access: Access, deps: AuthDeps, now: number): Promise<Caller> {
  if (access === null) return ANYONE;
  const caller = (await callerByToken(request, deps)) ?? (await callerByCookie(request, deps, now));
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

async function callerByToken(request: Request, deps: AuthDeps): Promise<Caller | null> {
  const token = /^Bearer +([^\s]+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (token === undefined) return null;
  if (isSame(token, deps.ownerToken)) return ownerOf(deps, null);
  const row = await deps.store.people.findToken(hashToken(token));
  return row === null ? null : { name: row.name, rights: row.rights, token: row.hash, session: null };
}

/**
 * Browsers add cookies to requests from other pages too. A request that changes something therefore also needs an Origin
 * header, which guard.ts has already compared with our own.
 */
async function callerByCookie(request: Request, deps: AuthDeps, now: number): Promise<Caller | null> {
  if (request.method !== "GET" && request.headers.get("origin") === null) return null;
  const session = await findSession(request, deps, now);
  if (session === null) return null;
  if (session.token === null) return ownerOf(deps, session);
  // The rights are those of now. A removed token ends the sessions of its person.
  const row = await deps.store.people.findToken(session.token);
  return row === null ? null : { name: row.name, rights: row.rights, token: row.hash, session };
}

/** The session of the browser that sends this request, or null. The person's token may have been removed. */
export async function findSession(
  request: Request,
  { store, address }: Pick<AuthDeps, "store" | "address">,
  now: number,
): Promise<SignInRow | null> {
  const secret = readSessionCookie(request, address);
  const session = secret === null ? null : await store.people.findSignIn("session", hashToken(secret));
  return session === null || session.until <= now ? null : session;
}

function ownerOf({ owner }: AuthDeps, session: SignInRow | null): Caller {
  return { name: owner, rights: ["admin"], token: null, session };
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
