import type { z } from "zod";
import type { Caller } from "../auth.ts";
import type { Requester } from "../../core/task/requester.ts";
import type { RouteKey, Routes } from "../contract/routes.ts";

type Parsed<S> = S extends z.ZodType ? z.output<S> : null;

/** What a stream needs to know about the connection it is sent on. */
export interface Connection {
  /** Destroys the connection. */
  readonly cut: () => void;
  /** Authenticates the caller again. */
  readonly isAllowed: () => Promise<boolean>;
}

/** A request that was authorized and validated for its route. */
export interface Input<K extends RouteKey> {
  readonly params: Parsed<Routes[K]["params"]>;
  readonly query: Parsed<Routes[K]["query"]>;
  readonly body: Parsed<Routes[K]["body"]>;
  readonly actor: Requester;
  /** The requester as they were authenticated. */
  readonly caller: Caller;
  /** The `Idempotency-Key` combined with the caller's name, or null. */
  readonly key: string | null;
  /** The raw request, needed to verify a signature of its bytes. */
  readonly request: Request;
  readonly lastEventId: number | null;
  readonly connection: Connection;
}

/** Returns the JSON value that the route declares, or a stream. */
export type Handler<K extends RouteKey> = (input: Input<K>) => Promise<Parsed<Routes[K]["ok"]> | Response>;

export type Handlers<K extends RouteKey> = { readonly [P in K]: Handler<P> };
