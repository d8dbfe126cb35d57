import { ConfigError, formatIssue, UserError } from "../../core/text/errors.ts";

/** What `doctor` found about one thing. */
export interface Finding {
  readonly name: string;
  /** `no`: work cannot go on. `warn`: it can, and a person should know. */
  readonly ok: "yes" | "no" | "warn";
  readonly detail: string;
  /** What repairs it; null where nothing is to be done. */
  readonly fix: string | null;
}

export function fine(name: string, detail: string): Finding {
  return { name, ok: "yes", detail, fix: null };
}

export function explainFinding(name: string, error: unknown): Finding {
  if (error instanceof ConfigError)
    return { name, ok: "no", detail: error.issues.map(formatIssue).join("\n"), fix: "correct the lines named here" };
  if (error instanceof UserError) return { name, ok: "no", detail: error.message, fix: error.hint };
  return { name, ok: "no", detail: error instanceof Error ? error.message : String(error), fix: null };
}
