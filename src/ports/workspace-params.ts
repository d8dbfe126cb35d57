import type { MergeMethod } from "../core/forge/merge.ts";
import type { GitCredentials } from "./forge.ts";

export interface ProjectSource {
  readonly project: string;
  /** A URL or path that `git fetch` accepts. */
  readonly remote: string;
  /** Null means the remote's HEAD. */
  readonly defaultBranch: string | null;
  /** For http remotes. Without credentials, git uses the user's own configuration. Never written to disk. */
  readonly credentials?: GitCredentials | null;
}

export interface Base {
  readonly branch: string;
  readonly commit: string;
}

export interface OpenWorkspaceParams {
  readonly project: string;
  readonly task: string;
  /** Unique within the task: the run's id, optionally with a suffix. */
  readonly name: string;
  readonly commit: string;
  readonly branch: string;
  /**
   * Another workspace of the task that no agent could write to. If it is at the same commit, it is renamed to this one,
   * which is much faster than writing thousands of files.
   */
  readonly unchanged?: string | null;
  /**
   * A checkout that `prepare` made. Its files are taken over, at any commit, and only those that differ are written. Ignored
   * if it does not exist.
   */
  readonly prepared?: string | null;
  /** Files that are taken from another commit. */
  readonly overlay?: TreeOverlay | null;
  /** Files to copy from the user's checkout (`.env.test`). Missing files are skipped. */
  readonly copy: { readonly from: string; readonly files: readonly string[] } | null;
  /** Files and folders of the user's checkout to link to. Missing ones are skipped. */
  readonly link?: { readonly from: string; readonly files: readonly string[] } | null;
  /** Number of ports to reserve. No other workspace gets them while this one exists. */
  readonly ports?: number;
}

export interface PrepareTreeParams {
  readonly project: string;
  readonly task: string;
  readonly name: string;
  readonly commit: string;
}

/** Files of a checkout that have the content of another commit. A file that does not exist there is left out. */
export interface TreeOverlay {
  readonly commit: string;
  /** Paths in the same encoding as `readChanges`. */
  readonly files: readonly string[];
}

export interface Workspace {
  readonly path: string;
  readonly commit: string;
  /** Directories its git directory reads objects from. The sandbox must make them readable, never writable. */
  readonly objects: readonly string[];
  /** Files and folders of the user's checkout that it links to. The sandbox must make them readable, never writable. */
  readonly links: readonly string[];
  /** Reserved for the programs that run in it. Null if none were requested. */
  readonly ports: PortRange | null;
}

export interface PortRange {
  readonly first: number;
  readonly count: number;
}

export interface TreeName {
  readonly task: string;
  readonly name: string;
}

export interface CollectParams extends TreeName {
  readonly project: string;
  readonly message: string;
  /** Author and committer date. A fixed date makes a repeated collect produce the same commit. */
  readonly at: number;
}

export interface Collected {
  readonly commit: string | null;
  readonly stats: DiffStats;
}

export interface DiffStats {
  readonly files: readonly FileStat[];
  readonly insertions: number;
  readonly deletions: number;
}

export interface FileStat {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted";
  readonly insertions: number;
  readonly deletions: number;
  readonly binary: boolean;
}

export interface RebaseParams {
  readonly project: string;
  readonly task: string;
  readonly commit: string;
  readonly oldBase: string;
  readonly newBase: string;
  readonly at: number;
  /** On a conflict, return a commit whose files contain git's conflict markers. */
  readonly keepConflicts?: boolean;
}

export interface SquashParams {
  readonly project: string;
  readonly task: string;
  readonly commit: string;
  readonly base: string;
  /** A commit of people on the task's branch. Its history must not be rewritten. */
  readonly onto?: string | null;
  readonly message: string;
  readonly at: number;
}

export interface PushParams {
  readonly project: string;
  readonly task: string;
  readonly remote: string;
  readonly commit: string;
  readonly branch: string;
  /** Commits that the task published before, oldest first. Its own record is removed with its files when it ends. */
  readonly published?: readonly string[];
  /** As for `sync`. */
  readonly credentials?: GitCredentials | null;
}

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

export interface TakeOverParams {
  readonly project: string;
  readonly task: string;
  readonly from: string;
  readonly commit: string;
}

export interface DiffParams {
  readonly project: string;
  readonly task: string;
  readonly from: string;
  readonly to: string;
  readonly maxBytes: number;
}

export interface Diff {
  readonly patch: string;
  readonly cut: boolean;
  readonly stats: DiffStats;
}

export interface ReadChangesParams {
  readonly project: string;
  readonly task: string;
  readonly from: string;
  readonly to: string;
  /** For larger files, `content` is null. */
  readonly maxFileBytes: number;
}

/** A commit of a project's mirror. */
export interface CommitName {
  readonly project: string;
  readonly base: string;
}

export interface ReadFilesParams extends CommitName {
  readonly task: string | null;
  readonly paths: readonly string[];
}

export interface RecentFilesParams extends CommitName {
  readonly commits: number;
}

export interface ChurnParams {
  readonly project: string;
  readonly from: string;
  readonly to: string;
  /** Paths in the same encoding as `readChanges`. */
  readonly files: readonly string[];
}
