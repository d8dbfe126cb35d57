import type { z } from "zod";
import type { Actor } from "../../core/task/event.ts";
import type { Caller } from "../auth.ts";
import type { RouteKey, Routes } from "../contract/routes.ts";

type Parsed<S> = S extends z.ZodType ? z.output<S> : null;

/** A request that passed every check of its row in the table. */
export interface Input<K extends RouteKey> {
  readonly params: Parsed<Routes[K]["params"]>;
  readonly query: Parsed<Routes[K]["query"]>;
  readonly body: Parsed<Routes[K]["body"]>;
  readonly caller: Caller;
  readonly actor: Actor;
  /** The `Idempotency-Key`, made the caller's own; null without one. */
  readonly key: string | null;
  /** As it came: a signature is over its bytes. */
  readonly request: Request;
  readonly lastEventId: number | null;
  /** Ends the connection itself. */
  readonly cut: () => void;
}

/** What is answered: JSON as the table says, or a stream. */
export type Handler<K extends RouteKey> = (input: Input<K>) => Promise<Parsed<Routes[K]["ok"]> | Response>;

export type Handlers<K extends RouteKey> = { readonly [P in K]: Handler<P> };
