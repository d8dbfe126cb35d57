import type { FileChange } from "../core/change/file-change.ts";
import type { GitCredentials } from "./forge.ts";
import type {
  BranchMerge,
  CompareBranchParams,
  IsMergedParams,
  ListBranchesParams,
  MergeBranchParams,
  ReadBranchParams,
  RemoteBranch,
} from "./workspace/branches.ts";
import type { TrialMerges, TrialMergesParams } from "./workspace/trial-merges.ts";
import type { SetupCache } from "./workspace/setup-cache.ts";
import type { DiffStats } from "./workspace/diff-stats.ts";
import type { FetchedRequest, RequestHead } from "./workspace/request-head.ts";
import type { FileChurn } from "../core/nightly/proposal.ts";
import type { BaseFile } from "../policy/diff/gate-sources.ts";

/**
 * Git operations, isolated from agents. There is one bare mirror per project and one git directory per task that only the
 * engine uses. An agent works in a clone whose git directory is never read again.
 * No method touches the user's own checkout.
 */
export interface Workspaces extends SetupCache {
  /** Creates or updates the project's mirror and returns its default branch and commit. Fetches of one mirror run one at a time. */
  sync(source: ProjectSource): Promise<Base>;

  /**
   * Creates a checkout of `commit` for one run, on `branch`, in its own directory with its own git directory.
   * Idempotent: a second call with the same task and name returns the existing checkout unchanged.
   * A call that crashed half-way leaves nothing behind that breaks a later call.
   */
  open(params: OpenWorkspaceParams): Promise<Workspace>;

  /**
   * Writes the files of `commit` for a later `open` to take over, because that is quick then. Nothing may run in them before.
   * Idempotent, and as safe against crashes as `open`. `trees` lists it and `close` removes it.
   */
  prepare(params: PrepareTreeParams): Promise<void>;

  /**
   * Records which files the project's set-up command created, changed or deleted in a workspace. The record is out of the
   * agent's reach and survives restarts. Call it after set-up and before the agent, while nothing runs in the workspace; a
   * later call replaces the earlier record. Throws a UserError of kind "unavailable" if the workspace no longer exists.
   */
  noteSetup(tree: TreeName): Promise<void>;

  /**
   * Creates directories in a workspace that do not exist yet, for a run that may write only there. Throws a UserError of kind
   * "invalid" if a part of a path is a file or a link, because the sandbox would follow it.
   */
  makeDirectories(tree: TreeName, directories: readonly string[]): Promise<void>;

  /**
   * Commits the current files of a workspace on top of the commit it was opened at, with the engine's own git directory and
   * index. Only regular files and links are included; ignored files and files unchanged since `noteSetup` are not. The
   * agent's git directory is never read. Returns `commit: null` if nothing changed. The same files give the same commit.
   * Throws a UserError of kind "unavailable" if the workspace no longer exists.
   */
  collect(params: CollectParams): Promise<Collected>;

  /**
   * Puts the task's changes since `oldBase` on top of `newBase`. Returns null on a conflict, unless `keepConflicts` is set. Works
   * on git objects only, without a checkout.
   */
  rebase(params: RebaseParams): Promise<string | null>;

  /**
   * Creates one commit with the tree of `commit` on top of `base`, or on top of `onto` and, unless `onto` contains it, `base`.
   * Returns `onto` if there is nothing to add to it. The same input gives the same commit.
   */
  squash(params: SquashParams): Promise<string>;

  /** Pushes `commit` as `branch` to the project's remote, without prompting. Overwrites an earlier push of the same task. */
  push(params: PushParams): Promise<void>;

  /**
   * Merges a published commit into the remote's default branch and deletes the task's branch there, for a project without a
   * forge. Never forces: if the default branch has commits that the commit does not contain, nothing is changed and the result is
   * `outdated`, because the merged files would not be the checked ones. Idempotent: a commit that is already merged is a success.
   * Throws a UserError of kind "conflict" if the default branch is checked out in the remote.
   */
  mergeBranch(params: MergeBranchParams): Promise<BranchMerge>;

  /**
   * Merges these published branches with each other and with their target on trial, as of the last `sync`. Works on git objects only,
   * keeps none of them, and remembers the results.
   */
  tryMerges(params: TrialMergesParams): Promise<TrialMerges>;

  /** Lists the remote's current branches whose names start with `prefix`. */
  listBranches(params: ListBranchesParams): Promise<readonly string[]>;

  /** Returns the current commit of a remote branch, or null if the branch does not exist. */
  readBranch(params: ReadBranchParams): Promise<string | null>;

  /** Compares the branch, as of the last `sync`, with what the task published. Returns null if the remote does not have the branch. */
  compareBranch(params: CompareBranchParams): Promise<RemoteBranch | null>;

  /**
   * Updates the mirror and fetches the head of a change request that somebody else wrote. The commits are untrusted, so they are
   * kept in the task's own git directory and no other task can read them. Throws a UserError of kind "not_found" if the remote
   * has neither the ref nor the target branch, and of kind "conflict" if both have no common history.
   */
  fetchRequest(params: ProjectSource & RequestHead): Promise<FetchedRequest>;

  /**
   * Whether `base` contains a commit of the task, or the same changes as other commits: people may have squashed or
   * cherry-picked it. False if the task's commit is unknown.
   */
  isMerged(params: IsMergedParams): Promise<boolean>;

  /** Returns the diff between two commits as a patch of at most `maxBytes`. */
  diff(params: DiffParams): Promise<Diff>;

  /**
   * Returns the files that differ between two commits, with their contents on both sides, sorted by path. They are read
   * directly from git objects, so that attributes, text conversion or NUL bytes cannot hide a change.
   */
  readChanges(params: ReadChangesParams): Promise<readonly FileChange[]>;

  /**
   * Returns the files changed by the newest `commits` commits of the default branch, following first parents from `base`. A
   * merge counts as one commit with all its changes. If the history is shorter, all of it is used. The paths are sorted and
   * unique, and use the same encoding as `readChanges`.
   */
  recentFiles(params: RecentFilesParams): Promise<readonly string[]>;

  /** Returns all files and links of a commit of the mirror, without submodules, in the encoding of `readChanges`. */
  listFiles(params: CommitName): Promise<readonly string[]>;

  /** Like `listFiles`, with the size of each file. */
  listFileSizes(params: CommitName): Promise<readonly { readonly path: string; readonly bytes: number }[]>;

  /**
   * Returns those of the paths that are files or links of a commit of the task, or of the mirror if `task` is null. Files with
   * more than 256 kB are left out. The text of a link is its target.
   */
  readFiles(params: ReadFilesParams): Promise<readonly BaseFile[]>;

  /** Counts the commits of the default branch up to `base`, following first parents like `recentFiles`. Stops at `max`. */
  countCommits(params: CommitName & { readonly max: number }): Promise<number>;

  /**
   * Returns how each file changed between two commits of the mirror, in the order of `files`; a directory includes everything
   * below it. Returns null if the mirror does not have `from` because history was rewritten. A missing `to` is a UserError.
   */
  churn(params: ChurnParams): Promise<readonly FileChurn[] | null>;

  /**
   * Keeps a commit of the task after `remove`, as `refs/nightshift/rescue/<task>`. Only this task can open a workspace at it:
   * workspaces of other tasks cannot read its objects.
   */
  rescue(project: string, task: string, commit: string): Promise<void>;

  /** Keeps a commit that the task no longer builds on, as `refs/nightshift/superseded/<task>/<commit>` next to the rescue refs. */
  keepSuperseded(project: string, task: string, commit: string): Promise<void>;

  /** Copies a commit of another task of the project, so that this task can build on it. The other task may be removed already if its commit was kept. */
  takeOver(params: TakeOverParams): Promise<void>;

  /** Removes one run's checkout, even if it contains unusual names, modes or very deep directories. */
  close(task: string, name: string): Promise<void>;

  /** Removes everything that belongs to the task. */
  remove(task: string): Promise<void>;

  /** Removes leftovers of crashed calls that belong to no task. Call it before any other method, while no other process uses the data. */
  sweep(): Promise<void>;

  /** Lists the tasks that have files on disk. */
  list(): Promise<readonly string[]>;

  /** Lists the names of a task's checkouts. */
  trees(task: string): Promise<readonly string[]>;
}

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
