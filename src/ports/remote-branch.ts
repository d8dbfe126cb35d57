export interface CompareBranchParams {
  readonly project: string;
  readonly task: string;
  readonly branch: string;
  /** The commit that the branch should have. */
  readonly published: string;
  /** The newest commit of the default branch. */
  readonly base: string;
  /** The commit of the default branch that the task's work is based on. */
  readonly workBase: string;
}

export interface IsMergedParams {
  readonly project: string;
  readonly task: string;
  /** What the task published. */
  readonly commit: string;
  /** The newest commit of the default branch, as of the last `sync`. */
  readonly base: string;
}

export interface RemoteBranch {
  readonly commit: string;
  /** `same`: no one else pushed. `ahead`: it contains `published` and commits of people. `rewritten`: it no longer contains `published`. */
  readonly relation: "same" | "ahead" | "rewritten";
  /** The newest commit of the default branch that the branch contains. Null if they have no common history. */
  readonly mergeBase: string | null;
  /** The newer one of `mergeBase` and `workBase`: the base of the branch with the task's work on top. */
  readonly base: string;
}
