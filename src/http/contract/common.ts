import { z } from "zod";

/** Times are ISO 8601 in UTC. */
export const time = z.iso.datetime();

// Limits of everything that a request contains. A test looks for values without a limit.

/** A time with any offset. */
export const requestedTime = z.iso.datetime({ offset: true }).max(40);
/** A name, a hash or another short text on one line. */
export const shortText = z.string().max(200);
export const requiredName = shortText.min(1);
export const absolutePath = z.string().max(4096).startsWith("/", "must be an absolute path");
/** What a person writes about a task: feedback, a reason, an answer. */
export const comment = z.string().max(20_000);

export const tokensSchema = z
  .strictObject({ input: z.int(), output: z.int(), cache_read: z.int(), cache_write: z.int() })
  .meta({ id: "Tokens" });

/** An id or a unique prefix of one, with or without `task_` or `run_`. */
export const idOrPrefix = z
  .string()
  .max(40)
  .regex(/^[0-9a-z_]{1,40}$/, "must be an id or its prefix: lower-case letters, digits and _");

export const freeObject = z.record(z.string(), z.unknown());

/** A comma-separated list such as `?status=queued,running`. Each element is one of `values`. */
export function listOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z
    .string()
    .max(1000)
    .transform((text) => text.split(","))
    .pipe(z.array(z.enum(values)));
}

export function limitUpTo(max: number, standard: number) {
  return z.coerce.number<number | string>().int().min(1).max(max).default(standard);
}

export const offset = z.coerce.number<number | string>().int().min(0);
