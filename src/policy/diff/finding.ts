/** What the diff policy says about a change. Pure data: it goes into events and into the prompt for a repair. */
export interface Finding {
  readonly rule: FindingRule;
  /** An `error` refuses the change; the others are shown to whoever looks at it. */
  readonly severity: "error" | "warning" | "note";
  readonly path: string;
  /** From 1, in the file as it is after the change; where the message says so, as it was before. */
  readonly line: number | null;
  /** What was found, and what to do. */
  readonly message: string;
}

export type FindingRule =
  | "size"
  | "dependency_file"
  | "recent_file"
  | "outside_concern"
  | "binary_file"
  | "huge_file"
  | "submodule"
  | "link"
  | "mode"
  | "gates_changed"
  | "weakened_test"
  | "known_change";

export type Stance = "refuse" | "show";

export interface DiffRules {
  /** Added and removed lines together; null for any number. */
  readonly maxChangedLines: number | null;
  /** What `readChanges` was asked for: larger files cannot be looked into, and are refused. */
  readonly maxFileBytes: number;
  /** Manifests and lock files: what the project is built from. */
  readonly dependencyFiles: Stance;
  /** Files of the last commits, which others may still be working on. */
  readonly recentFiles: readonly string[];
  /** Files of the selected concern, and no others; null for all. A directory is named with a slash at its end. */
  readonly concernFiles: readonly string[] | null;
  /** What defines the checks: scripts, targets and configuration of the programs that judge. */
  readonly gates: Stance;
  readonly weakenedTests: Stance;
  /** Definitions of CI and Nightshift's own files. They are gates too: the stricter of both counts. */
  readonly ciAndOwnConfig: Stance;
  readonly binaryFiles: Stance;
  readonly submodules: Stance;
  /** The project's checks, as they are run: their scripts and targets are gates. */
  readonly checkCommands: readonly string[];
}

/** A change that is only shown is still a warning: somebody should look. */
export function severityOf(stance: Stance): "error" | "warning" {
  return stance === "refuse" ? "error" : "warning";
}
