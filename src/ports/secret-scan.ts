import type { FileChange } from "../core/change/file-change.ts";

/**
 * Searches the lines that a change adds for secrets: first for known values, then for strings that look like credentials.
 * It catches accidents. A deliberately encoded secret can still get through.
 */
export interface SecretScan {
  /** Returns findings sorted by path and line. Rejects only if the scan could not run at all. */
  scan(changes: readonly FileChange[]): Promise<readonly SecretFinding[]>;
}

export interface SecretFinding {
  /** The path in the change, redacted if the path itself contains a secret. */
  readonly path: string;
  /** Starts at one. Null if the finding concerns the name or the whole file. */
  readonly line: number | null;
  /** `known-secret`, `not-scanned`, `secretlint/…`, `pattern/…` or `gitleaks/…`. */
  readonly rule: string;
  /** An error fails the check. A warning may be a false positive and is only shown. */
  readonly severity: "error" | "warning";
  /** For people and for the agent that fixes it. Contains only the first characters and the length of the secret. */
  readonly message: string;
}
