import { ConfigError, formatIssue, UserError } from "../../core/text/errors.ts";

/** What an unattended night of the current project needs, in the order in which `doctor` lists it. */
export const NIGHT_NEEDS = [
  "project",
  "settings",
  "daemon",
  "agent",
  "trust",
  "checks",
  "push",
  "files",
  "schedule",
] as const;

/** The result of one check of `doctor`. */
export interface Finding {
  readonly name: string;
  /** `no` blocks work. `warn` does not, but a person should know. */
  readonly ok: "yes" | "no" | "warn";
  readonly detail: string;
  /** How to fix it. Null if there is nothing to do. */
  readonly fix: string | null;
  /** Set if the finding is about something that a night of the current project needs. */
  readonly night?: { readonly need: (typeof NIGHT_NEEDS)[number]; readonly met: boolean } | undefined;
}

/** Marks a finding as one that the night depends on. */
export function forNight(
  need: (typeof NIGHT_NEEDS)[number],
  finding: Finding,
  met: boolean = finding.ok === "yes",
): Finding {
  return { ...finding, night: { need, met } };
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
