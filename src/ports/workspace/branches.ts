import type { MergeMethod } from "../../core/forge/merge.ts";
import type { GitCredentials } from "../forge.ts";
import type { ProjectSource } from "../workspace.ts";

// What `Workspaces` needs and returns for branches of the remote.

export interface MergeBranchParams extends ProjectSource {
  readonly task: string;
  /** The task's branch. */
  readonly branch: string;
  readonly commit: string;
  /** Null and `rebase`: fast-forward to the commit. */
  readonly method: MergeMethod | null;
  /** For the commit of `squash` and `merge`. The same message and time give the same commit. */
  readonly message: string;
  readonly at: number;
}

export type BranchMerge =
  | {
      readonly kind: "merged";
      readonly target: string;
      /** The commit that the default branch has now. */
      readonly commit: string;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "outdated"; readonly target: string };

export interface ListBranchesParams {
  readonly project: string;
  readonly remote: string;
  readonly prefix: string;
  readonly credentials?: GitCredentials | null;
}

export interface ReadBranchParams {
  readonly project: string;
  readonly remote: string;
  readonly branch: string;
  readonly credentials?: GitCredentials | null;
}

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
