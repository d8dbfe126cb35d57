import type { EventDraft } from "../core/task/event.ts";
import type { Right } from "../core/task/requester.ts";

/** Access tokens, and the responses kept for idempotency keys. */
export interface PeopleStore {
  /** Adding and removing return false, and write no event, if nothing changes. */
  addToken(token: TokenRow, event: EventDraft): Promise<boolean>;
  listTokens(): Promise<readonly TokenRow[]>;
  /** Looks up a token by the SHA-256 of its secret. */
  findToken(hash: string): Promise<TokenRow | null>;
  removeToken(name: string, event: EventDraft): Promise<boolean>;

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

export interface StoredAnswer {
  /** SHA-256 of method, path and body. Reusing the key for a different request is an error. */
  readonly request: string;
  readonly status: number;
  readonly body: string;
}
