/** What a run did to the files of a directory that no git watches over. */
export interface FileRecord {
  /**
   * Looks at everything below `dir` and keeps it in the file `keep`, which is whole or not there. Idempotent: what is kept
   * already stays as it is, so that a run that is started again is still compared with what was there before it.
   * Links are not followed. No name is passed over, `.git` neither: what hides from the record would be the place to hide.
   * Directories themselves are not recorded. Refuses more than 500,000 files (UserError "invalid").
   */
  snapshot(params: SnapshotParams): Promise<Snapshot>;

  /** The differences between two kept snapshots, each list sorted by path. */
  compare(before: string, after: string): Promise<RecordedChanges>;
}

export interface SnapshotParams {
  readonly dir: string;
  readonly keep: string;
  /** An earlier snapshot of the same directory, as it was kept: files that stand as they stood then are not read again. */
  readonly since: string | null;
}

export interface Snapshot {
  readonly files: number;
  /** Read to know their hashes; with `since` those that are new or changed. */
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
  /** Directories that one of the two could not look into: nothing is said about what is in them. */
  readonly unread: readonly UnreadDirectory[];
}

export interface FileState {
  /** `other`: a pipe, a socket, a device. The content of a link is where it leads. */
  readonly kind: "file" | "link" | "other";
  readonly size: number;
  /** Permissions alone. */
  readonly mode: number;
  /** Null where there is nothing to read, where it may not be read, and where it is too large to be read. */
  readonly sha256: string | null;
}
