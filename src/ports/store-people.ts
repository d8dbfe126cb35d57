import type { EventDraft } from "../core/task/event.ts";
import type { Right } from "../core/task/requester.ts";

/** Access tokens, the browsers that are signed in, and the responses kept for idempotency keys. */
export interface PeopleStore {
  /** Adding and removing return false, and write no event, if nothing changes. */
  addToken(token: TokenRow, event: EventDraft): Promise<boolean>;
  listTokens(): Promise<readonly TokenRow[]>;
  /** Looks up a token by the SHA-256 of its secret. */
  findToken(hash: string): Promise<TokenRow | null>;
  /** Also ends the sessions and removes the links of its person. */
  removeToken(name: string, event: EventDraft): Promise<boolean>;

  /** Adds a link, and removes all links and sessions that have expired. */
  addLink(link: SignInRow): Promise<void>;
  /** Looks up a link or a session by the SHA-256 of its secret. It may have expired. */
  findSignIn(kind: SignInRow["kind"], hash: string): Promise<SignInRow | null>;
  /** Replaces a link, and the session `replaced` if there is one, by a session. Returns false if the link is gone. */
  redeemLink(link: string, session: SignInRow, replaced: string | null, event: EventDraft): Promise<boolean>;
  /** Returns false, and writes no event, if there is no such session. */
  removeSession(hash: string, event: EventDraft): Promise<boolean>;

  /** Returns the earlier response for this idempotency key, or null. Keys expire after one day. */
  recallAnswer(key: string): Promise<StoredAnswer | null>;
  keepAnswer(key: string, answer: StoredAnswer, at: number): Promise<void>;
}

export interface TokenRow {
  readonly name: string;
  readonly hash: string;
  readonly rights: readonly Right[];
  readonly createdAt: number;
}

/** A one-time link with which a browser can be signed in, or the session of a browser that is. */
export interface SignInRow {
  readonly hash: string;
  readonly kind: "link" | "session";
  /** Hash of the person's token, which has their name and rights. Null for the owner. */
  readonly token: string | null;
  /** Name of the person who created the link. */
  readonly issuer: string;
  readonly createdAt: number;
  readonly until: number;
}

export interface StoredAnswer {
  /** SHA-256 of method, path and body. Reusing the key for a different request is an error. */
  readonly request: string;
  readonly status: number;
  readonly body: string;
}
