/** Records what a run changes in the directories that it may write. */
export interface FileRecord {
  /**
   * Records directories in the directory `keep`, before a run. Idempotent, as `snapshot`. A directory that cannot be recorded
   * does not fail the call; `finish` reports it as a problem.
   */
  start(keep: string, directories: readonly RecordedDirectory[]): Promise<void>;

  /** Compares the directories of `start` with their state when this was called first. Null without a `start`. */
  finish(keep: string): Promise<readonly DirectoryChanges[] | null>;

  /**
   * Reads the created and modified files of a directory, by its name, after `finish` has found its changes. Files above
   * `maxFileBytes`, and all files when `maxBytes` are read, come without content. Links are not followed: their content is
   * their target.
   */
  readChanged(keep: string, name: string, limits: ReadLimits): Promise<ChangedContents>;

  /**
   * Records everything below `dir` in the file `keep`, which is written completely or not at all. Idempotent: an existing
   * snapshot is kept, so that a restarted run is still compared with the state before its first start. Links are not
   * followed. No name is skipped, not even `.git`, so that nothing can hide from the record. Directories themselves are not
   * recorded. More than 500,000 files are a UserError "invalid".
   */
  snapshot(params: SnapshotParams): Promise<Snapshot>;

  /**
   * Describes the files of a directory for a planner, without reading them. Ends after a number of files or seconds, and then
   * says that there are more. Null if the directory cannot be read in that time. Links are not followed.
   */
  describe(dir: string): Promise<string | null>;

  /** Returns the differences between two stored snapshots, each list sorted by path. */
  compare(before: string, after: string): Promise<RecordedChanges>;
}

export interface RecordedDirectory {
  readonly path: string;
  /** How people know the directory, as a prefix of the file names: relative to the repository, or absolute. */
  readonly name: string;
}

export interface DirectoryChanges extends RecordedDirectory {
  /** Null if they are unknown, for the reason in `problem`. */
  readonly changes: RecordedChanges | null;
  readonly problem: string | null;
}

export interface ReadLimits {
  readonly maxFileBytes: number;
  readonly maxBytes: number;
}

export type ChangedContents = readonly {
  readonly path: string;
  readonly kind: FileState["kind"];
  readonly bytes: number;
  readonly isNew: boolean;
  /** Null if it is unreadable, was replaced, or exceeds a limit. */
  readonly content: Uint8Array | null;
}[];

export interface SnapshotParams {
  readonly dir: string;
  readonly keep: string;
  /** File of an earlier snapshot of the same directory. Files unchanged since then are not read again. */
  readonly since: string | null;
}

export interface Snapshot {
  readonly files: number;
  /** Number of files read to compute their hashes; with `since`, only new or changed ones. */
  readonly hashed: number;
  readonly unread: readonly UnreadDirectory[];
}

export interface UnreadDirectory {
  readonly path: string;
  readonly why: string;
}

export interface RecordedChanges {
  readonly created: readonly { readonly path: string; readonly after: FileState }[];
  readonly modified: readonly { readonly path: string; readonly before: FileState; readonly after: FileState }[];
  readonly deleted: readonly { readonly path: string; readonly before: FileState }[];
  /** Directories that at least one snapshot could not read. Changes in them are unknown. */
  readonly unread: readonly UnreadDirectory[];
}

export interface FileState {
  /** `other`: a pipe, a socket or a device. The content of a link is its target. */
  readonly kind: "file" | "link" | "other";
  readonly size: number;
  /** Permission bits only. */
  readonly mode: number;
  /** Null if there is no content, or if it is unreadable or too large. */
  readonly sha256: string | null;
}
