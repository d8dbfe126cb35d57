import type { FileChange } from "../core/change/file-change.ts";

/**
 * Looks for secrets in what a change adds: the values that are known first, then what looks like a credential.
 * Only lines count that were not there before. It is a net for accidents: whoever encodes a secret in a way of his own
 * gets it through.
 */
export interface SecretScan {
  /** Sorted by path and line. Rejects only when it could not look at all. */
  scan(changes: readonly FileChange[]): Promise<readonly SecretFinding[]>;
}

export interface SecretFinding {
  /** As in the change, but for a secret in the name itself. */
  readonly path: string;
  /** From one on; null where the name or the file as a whole is meant. */
  readonly line: number | null;
  /** `known-secret`, `not-scanned`, `secretlint/…`, `pattern/…` or `gitleaks/…`. */
  readonly rule: string;
  /** An error fails the check; a warning may well be something else and is shown. */
  readonly severity: "error" | "warning";
  /** For people and for the agent that has to repair it. Never the secret: its first characters and its length. */
  readonly message: string;
}
