/** One finding of the diff policy. Plain data that goes into events and into the prompt for a fix. */
export interface Finding {
  readonly rule: FindingRule;
  /** An `error` rejects the change. The others are shown to reviewers. */
  readonly severity: "error" | "warning" | "note";
  readonly path: string;
  /** Starts at 1, in the new file; in the old file if the message says so. */
  readonly line: number | null;
  /** What was found and what to do. */
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
  | "conflict_marker"
  | "gates_changed"
  | "weakened_test"
  | "known_change";

export type RuleMode = "refuse" | "show";

export interface DiffRules {
  /** Limit for added plus removed lines. Null means no limit. */
  readonly maxChangedLines: number | null;
  /** The limit passed to `readChanges`. Larger files cannot be checked and are rejected. */
  readonly maxFileBytes: number;
  /** Manifests and lock files. */
  readonly dependencyFiles: RuleMode;
  /** Files of the latest commits, which others may still be working on. */
  readonly recentFiles: readonly string[];
  /** The only files that may be changed. Null means all. Directories end with a slash. */
  readonly concernFiles: readonly string[] | null;
  /** Files that define the checks: scripts, targets, and configuration of test runners and linters. */
  readonly gates: RuleMode;
  /** CI definitions and Nightshift's own configuration. They are gates, too; the stricter rule applies. */
  readonly ciAndOwnConfig: RuleMode;
  readonly binaryFiles: RuleMode;
  readonly submodules: RuleMode;
  /** The project's check commands, and what they run on the base commit. Their scripts and targets are gates. */
  readonly checkCommands: readonly string[];
  /** Other files that decide about the checks. */
  readonly gateFiles: readonly string[];
}

/** A change that is only shown is a warning, because a person should look at it. */
export function severityOf(stance: RuleMode): "error" | "warning" {
  return stance === "refuse" ? "error" : "warning";
}
