import { z } from "zod";
import type { Right } from "../../core/task/requester.ts";

export const BASE = "/api/v1";

/** `read` needs any valid token. Null needs none: everyone who can reach the port has access. */
export type Access = Right | "read" | null;

/** One route. The server, the client's types and the OpenAPI description are derived from these. */
export interface Route {
  readonly summary: string;
  readonly right: Access;
  readonly params: z.ZodType;
  readonly query: z.ZodType;
  /** Null if the route does not read a body. */
  readonly body: z.ZodType | null;
  readonly status: 200 | 201 | 202 | 204;
  /** Null if the response has no body (202, 204) or is always a stream. */
  readonly ok: z.ZodType | null;
  /** Schema of one message of the event stream. Null if the route has no stream. */
  readonly stream: z.ZodType | null;
  /** False if the response contains a secret, so that it is not stored for a repeated `Idempotency-Key`. */
  readonly replay: boolean;
}

const nothing = z.strictObject({});

const DEFAULTS = {
  params: nothing,
  query: nothing,
  body: null,
  status: 200,
  ok: null,
  stream: null,
  replay: true,
} as const satisfies Partial<Route>;

type Given = Pick<Route, "summary" | "right"> & Partial<Route>;

/** Adds the defaults to a route and keeps its literal types for the client. */
export function route<const R extends Given>(row: R): Omit<typeof DEFAULTS, keyof R> & R {
  return { ...DEFAULTS, ...row };
}
