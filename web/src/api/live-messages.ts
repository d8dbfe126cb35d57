import type { EventJson } from "../../../src/http/client/client.ts";

/** `away`: the daemon does not answer. `signed-out`: it no longer accepts the cookie. */
export type Connection =
  | { readonly state: "connecting" | "open" | "signed-out" }
  | { readonly state: "away"; readonly since: number };

/** What the worker sends to each tab. */
export type LiveMessage =
  | { readonly kind: "connection"; readonly connection: Connection }
  | { readonly kind: "event"; readonly event: EventJson }
  /** Events may have been missed, so everything on the page has to be loaded again. */
  | { readonly kind: "reset" };

/** What a tab sends to the worker. */
export type TabMessage = "leave" | "retry";
