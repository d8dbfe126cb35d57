import type { FileChange } from "../core/change/file-change.ts";

/** Brings finished work over to a person's own directory, only when that person asks for it. */
export interface Checkouts {
  /**
   * Writes a change to the files below `root`. A file that is neither as before nor as after the change was changed by somebody
   * else: then nothing at all is written, unless `force` is set. Links are never followed, and git's own data is never written.
   * Applying the same change again changes nothing.
   */
  apply(params: ApplyParams): Promise<AppliedChange>;
}

export interface ApplyParams {
  readonly root: string;
  readonly changes: readonly FileChange[];
  /** Overwrite what somebody else changed. Never overwrites what cannot be written safely. */
  readonly force: boolean;
  /** Report only. */
  readonly dryRun: boolean;
}

export interface AppliedChange {
  /** Whether all files are now as after the change. */
  readonly applied: boolean;
  readonly files: readonly AppliedFile[];
}

export interface AppliedFile {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted" | "unchanged";
  /** Why it was not written. Null if nothing is in the way. */
  readonly problem: string | null;
}
