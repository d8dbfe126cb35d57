import type { CheckResult } from "./run.ts";

/** The engine's own: they run no command, and what they have to say is a list of findings. */
export const OWN_CHECKS: ReadonlySet<string> = new Set(["diff-policy", "no-secrets"]);

type Judged = Pick<CheckResult, "name" | "status" | "severity">;

/** A warning of the engine itself refuses nothing, so it does not read as a failure. */
export function checkWord({ name, status, severity }: Judged): string {
  if (OWN_CHECKS.has(name) && status === "failed" && severity === "warning") return "warned";
  return status.replace("_", " ");
}

/** For whoever judges a change: what came of a check, and what it said where it did not pass. */
export function describeCheck(check: Judged & Pick<CheckResult, "tail">): string {
  const word = checkWord(check);
  const isOnlyWarning = check.severity === "warning" && check.status !== "passed" && word !== "warned";
  const said = check.status === "passed" || check.tail.trim() === "" ? "" : `\n${check.tail}`;
  return `${check.name}: ${word}${isOnlyWarning ? " (a warning: it refuses nothing)" : ""}${said}`;
}
