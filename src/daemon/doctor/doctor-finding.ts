import { ConfigError, formatIssue, UserError } from "../../core/text/errors.ts";

/** The result of one check of `doctor`. */
export interface Finding {
  readonly name: string;
  /** `no` blocks work. `warn` does not, but a person should know. */
  readonly ok: "yes" | "no" | "warn";
  readonly detail: string;
  /** How to fix it. Null if there is nothing to do. */
  readonly fix: string | null;
}

export function fine(name: string, detail: string): Finding {
  return { name, ok: "yes", detail, fix: null };
}

export function explainFinding(name: string, error: unknown): Finding {
  if (error instanceof ConfigError)
    return { name, ok: "no", detail: error.issues.map(formatIssue).join("\n"), fix: "correct these lines" };
  if (error instanceof UserError) return { name, ok: "no", detail: error.message, fix: error.hint };
  return { name, ok: "no", detail: error instanceof Error ? error.message : String(error), fix: null };
}
