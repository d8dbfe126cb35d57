import { parseDuration } from "../../core/schedule/duration.ts";
import { UserError } from "../../core/text/errors.ts";

/** Milliseconds of a duration that a person wrote. */
export function readTimeout(text: string): number {
  const ms = parseDuration(text);
  if (ms === null) throw new UserError("invalid", `"${text}" is not a duration.`, "Write it as 30s, 10m or 2h.");
  return ms;
}
