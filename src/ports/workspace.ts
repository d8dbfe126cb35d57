import type { FileChange } from "../core/change/file-change.ts";
import type { GitCredentials } from "./forge.ts";
import type { FileChurn } from "../core/nightly/proposal.ts";

/**
 * Git, kept away from agents: a bare mirror per project, and per task a git directory of the engine's own.
 * What an agent works in is a clone with a git directory that we never read again.
 * No verb touches the person's checkout.
 */
export interface Workspaces {
  /** Makes or updates the project's mirror and says where its default branch stands. One fetch at a time per mirror. */
  sync(source: ProjectSource): Promise<Base>;

  /**
   * A fresh tree of `commit` for one run, in a directory of its own with its own git directory, on `branch`.
   * Idempotent: a second call with the same task and name returns the tree the first one made, as it stands.
   * A call that died half-way leaves nothing that a later one trips over.
   */
  open(params: OpenWorkspaceParams): Promise<Workspace>;

  /**
   * Keeps in mind, out of the agent's reach and over restarts, how the project's set-up left what it made, changed or
   * deleted in a workspace. Called after set-up and before the agent, while nothing runs there; a later call counts in
   * the place of an earlier one. A workspace that is gone is a UserError of kind "unavailable".
   */
  noteSetup(tree: TreeName): Promise<void>;

  /**
   * Commits the files of a workspace as they stand, with the engine's own git directory and index, on top of the commit
   * the workspace was opened at. Only regular files and links count; ignored files do not, nor does what is exactly as
   * `noteSetup` found it; the agent's git directory is never read. Returns `commit: null` when nothing changed. The same
   * files give the same commit. A workspace that is gone is a UserError of kind "unavailable".
   */
  collect(params: CollectParams): Promise<Collected>;

  /** Puts the task's work on top of a newer base. Null when they conflict. Pure git arithmetic: no tree is touched. */
  rebase(params: RebaseParams): Promise<string | null>;

  /** One commit with the tree of `commit` on top of `base`. The same input gives the same commit. */
  squash(params: SquashParams): Promise<string>;

  /** Pushes `commit` as `branch` to the project's remote, needing nobody at the keyboard; replaces what an earlier push of this task left there. */
  push(params: PushParams): Promise<void>;

  /** The branches of the remote whose names start with `prefix`, as they are there now. */
  listBranches(params: ListBranchesParams): Promise<readonly string[]>;

  /** The commit that a branch of the remote has now; null where there is no such branch. */
  readBranch(params: ReadBranchParams): Promise<string | null>;

  /** The change between two commits as a patch, at most `maxBytes` of it. */
  diff(params: DiffParams): Promise<Diff>;

  /**
   * The files that differ between two commits, with their contents on both sides, straight from git's objects: no attribute,
   * text conversion or NUL byte hides anything. Sorted by path.
   */
  readChanges(params: ReadChangesParams): Promise<readonly FileChange[]>;

  /**
   * The files that the newest `commits` commits of the default branch changed, from `base` back along first parents: a
   * merge counts as one, with everything it brought. All of history where it is shorter. Sorted, each once, spelled as
   * `readChanges` spells them.
   */
  recentFiles(params: RecentFilesParams): Promise<readonly string[]>;

  /**
   * What happened to files between two commits of the mirror, in the order asked for; a directory counts as all that is in
   * it. Null where the mirror does not have `from` (any more): history was rewritten. Not having `to` is a UserError.
   */
  churn(params: ChurnParams): Promise<readonly FileChurn[] | null>;

  /**
   * Keeps a commit of the task beyond `remove`, as `refs/nightshift/rescue/<task>`. Only the task itself can be opened at
   * it again: no workspace of another task can read its objects.
   */
  rescue(project: string, task: string, commit: string): Promise<void>;

  /** Removes one run's tree, whatever names, modes and depths are in it. */
  close(task: string, name: string): Promise<void>;

  /** Removes everything the task has. */
  remove(task: string): Promise<void>;

  /** Removes what calls that died left where no task is to blame. Only before any other call, by the only process there is. */
  sweep(): Promise<void>;

  /** The tasks that have anything on disk. */
  list(): Promise<readonly string[]>;

  /** The names of a task's trees. */
  trees(task: string): Promise<readonly string[]>;
}

export interface ProjectSource {
  readonly project: string;
  /** URL or path that `git fetch` takes. */
  readonly remote: string;
  /** Null: the remote's HEAD. */
  readonly defaultBranch: string | null;
  /** For a remote over http; without any, the person's own git configuration has to do. Written nowhere. */
  readonly credentials?: GitCredentials | null;
}

export interface Base {
  readonly branch: string;
  readonly commit: string;
}

export interface OpenWorkspaceParams {
  readonly project: string;
  readonly task: string;
  /** Unique within the task: the run's id, or that and a suffix. */
  readonly name: string;
  readonly commit: string;
  readonly branch: string;
  /**
   * Another workspace of the task that nobody was able to change: where it stands at the same commit, it becomes this
   * one, which is much quicker than to write thousands of files.
   */
  readonly unchanged?: string | null;
  /** Files of the person's checkout to copy in (`.env.test`); missing ones are skipped. */
  readonly copy: { readonly from: string; readonly files: readonly string[] } | null;
}

export interface Workspace {
  readonly path: string;
  readonly commit: string;
  /** Where its git directory reads objects from: to be seen, never to be written. */
  readonly objects: readonly string[];
}

export interface TreeName {
  readonly task: string;
  readonly name: string;
}

export interface CollectParams extends TreeName {
  readonly project: string;
  readonly message: string;
  /** Author and committer date, so that a repeated collect makes the same commit. */
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
}

export interface SquashParams {
  readonly project: string;
  readonly task: string;
  readonly commit: string;
  readonly base: string;
  readonly message: string;
  readonly at: number;
}

export interface PushParams {
  readonly project: string;
  readonly task: string;
  readonly remote: string;
  readonly commit: string;
  readonly branch: string;
  /** As for `sync`. */
  readonly credentials?: GitCredentials | null;
}

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
  /** Contents beyond this are not read: `content` is null. */
  readonly maxFileBytes: number;
}

export interface RecentFilesParams {
  readonly project: string;
  readonly base: string;
  readonly commits: number;
}

export interface ChurnParams {
  readonly project: string;
  readonly from: string;
  readonly to: string;
  /** Spelled as `readChanges` spells them. */
  readonly files: readonly string[];
}
