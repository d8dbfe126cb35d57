import { z } from "zod";
import { NOTIFIED_KINDS } from "./settings.ts";

/**
 * The small values that keys of the configuration files are made of. The message of a rule is the end of the sentence
 * "found …; allowed: …", which config/parse/describe-issue.ts completes.
 */
export const text = z.string().min(1).max(10_000);

/** Program and arguments, never a shell line. */
export const argv = z.array(z.string().max(10_000)).min(1).max(200);

export const environmentName = z
  .string()
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

/** The key `on` of notifiers that let people choose. */
export const notifiedKinds = z
  .array(z.enum(NOTIFIED_KINDS))
  .min(1)
  .optional()
  .describe("Events to send; default: all.");

function isWebUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return ["http:", "https:"].includes(url.protocol) && url.username === "" && url.password === "";
}
