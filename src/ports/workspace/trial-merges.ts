/** Published branches to merge with each other on trial. */
export interface TrialMergesParams {
  readonly project: string;
  /** The branch that they are to be merged into. */
  readonly target: string;
  readonly branches: readonly TrialBranch[];
}

export interface TrialBranch {
  readonly task: string;
  readonly branch: string;
  readonly commit: string;
}

export interface TrialMerges {
  readonly branches: readonly TriedBranch[];
  readonly conflicts: readonly MergeConflict[];
}

export interface TriedBranch {
  readonly task: string;
  /**
   * `open`: it can be merged. `merged`: the target contains it. `gone`: the remote no longer has the branch. `missing`: the commit
   * was not fetched yet.
   */
  readonly status: "open" | "merged" | "gone" | "missing";
  /** Files that conflict with the target. Empty unless it is `open`. */
  readonly targetConflicts: readonly string[];
}

/** Two tasks whose branches cannot both be merged without resolving a conflict. */
export interface MergeConflict {
  readonly tasks: readonly [string, string];
  readonly files: readonly string[];
}
