import { z } from "zod";
import { NOTIFIED_KINDS } from "./settings.ts";

/**
 * Basic value schemas for the configuration files. The message of a rule completes the sentence "found …; allowed: …" in
 * config/parse/parse-config.ts.
 */
export const text = z.string().min(1).max(10_000);

/** A record with at most `max` entries. JSON Schema gets the limit as well. */
export function boundedRecord<Key extends z.ZodType<string, string>, Value extends z.ZodType>(
  key: Key,
  value: Value,
  max: number,
) {
  return z
    .record(key, value)
    .refine((record) => Object.keys(record).length <= max, { error: `at most ${max} entries`, abort: true })
    .meta({ maxProperties: max });
}

/** Program and arguments; no shell command line. */
export const argv = z.array(z.string().max(10_000)).min(1).max(200);

export const environmentName = z
  .string()
  .max(100)
  .regex(
    /^(?!NIGHTSHIFT_)[A-Za-z_][A-Za-z0-9_]{0,99}$/,
    "the name of an environment variable, not beginning with `NIGHTSHIFT_`",
  );

export const webUrl = z
  .string()
  .max(2000)
  .refine(
    isWebUrl,
    "an http or https address without user name and password; a token goes into an environment variable",
  );

/** The key `on` of notifiers. */
export const notifiedKinds = z
  .array(z.enum(NOTIFIED_KINDS))
  .min(1)
  .max(20)
  .optional()
  .describe("Events to send; default: all.");

function isWebUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return ["http:", "https:"].includes(url.protocol) && url.username === "" && url.password === "";
}
