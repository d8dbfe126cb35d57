import { z } from "zod";
import type { Right } from "../../ports/store.ts";

export const BASE = "/api/v1";

/** `read`: any valid token. Null: open to everyone who reaches the port. */
export type Access = Right | "read" | null;

/** One row of the table that gives the server, the client's types and the OpenAPI description. */
export interface Route {
  readonly summary: string;
  readonly right: Access;
  readonly params: z.ZodType;
  readonly query: z.ZodType;
  /** Null where no body is read. */
  readonly body: z.ZodType | null;
  readonly status: 200 | 201 | 202 | 204;
  /** Null where there is nothing to say (202, 204), or only a stream. */
  readonly ok: z.ZodType | null;
  /** What one message of the event stream holds; null where the route is none. */
  readonly stream: z.ZodType | null;
  /** False where the answer holds a secret: then it is not kept for a repeated `Idempotency-Key`. */
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

/** A row with what is left out filled in; the literal types survive for the client. */
export function route<const R extends Given>(row: R): Omit<typeof DEFAULTS, keyof R> & R {
  return { ...DEFAULTS, ...row };
}
