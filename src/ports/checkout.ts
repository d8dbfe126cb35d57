import type { FileChange } from "../core/change/file-change.ts";

/** A person's own directory. Nothing is written there that the person did not ask for. */
export interface Checkouts {
  /**
   * Writes a change to the files below `root`. A file that is neither as before nor as after the change was changed by somebody
   * else: then nothing at all is written, unless `force` is set. Links are never followed, and git's own data is never written.
   * Applying the same change again changes nothing.
   */
  apply(params: ApplyParams): Promise<AppliedChange>;

  /**
   * Why a run cannot work in `root` and write to these directories below it, a sentence each. Refuses links, because a run would
   * write elsewhere than the plan says, and everything else that is no directory. Directories may be missing.
   */
  inspect(root: string, directories: readonly string[]): Promise<InspectedDirectories>;

  /** Creates missing directories below `root`, with the owner and mode of the directory around them. Never follows a link. */
  makeDirectories(root: string, directories: readonly string[]): Promise<void>;

  /** Removes what a sandbox left below `root` to protect missing names, because it was killed. Nothing with content is removed. */
  removePlaceholders(root: string, names: readonly string[]): Promise<void>;
}

export interface InspectedDirectories {
  readonly problems: readonly string[];
  /** For each directory without a problem, itself or the nearest parent that exists, as an absolute path. */
  readonly existing: readonly string[];
}

export interface ApplyParams {
  readonly root: string;
  readonly changes: readonly FileChange[];
  /** Overwrite what somebody else changed, and leave out files that cannot be written anywhere, such as a submodule. */
  readonly force: boolean;
  /** Report only. */
  readonly dryRun: boolean;
}

export interface AppliedChange {
  /** Whether all files without a problem are now as after the change. */
  readonly applied: boolean;
  readonly files: readonly AppliedFile[];
}

export interface AppliedFile {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted" | "unchanged";
  /** Why it was not written. Null if nothing is in the way. */
  readonly problem: string | null;
}
