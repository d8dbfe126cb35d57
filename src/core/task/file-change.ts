import type { Artifact } from "./task.ts";

export const FILE_CHANGES = ["created", "modified", "deleted"] as const;

/** A file that a run changed. */
export interface FileChange {
  /** Relative to the repository, or absolute for a file outside of it. */
  readonly path: string;
  readonly change: (typeof FILE_CHANGES)[number];
  /** `other`: a pipe, a socket or a device. */
  readonly kind: "file" | "link" | "other";
  /** Of the file as it is now, or as it was before it was deleted. */
  readonly size: number;
  readonly sha256: string | null;
  /** Whether `apply` brings it to the checkout. */
  readonly applies: boolean;
}

export function toArtifact({ path, ...data }: FileChange): Artifact {
  return { type: "file", label: path, url: null, data };
}

export interface CombinedChanges {
  readonly files: readonly FileChange[];
  /** Paths that an earlier run changed and that are now as before the task. */
  readonly undone: readonly string[];
}

/** Adds the changes of a run to those of the task's earlier runs, which started from an older state. */
export function combineChanges(earlier: readonly Artifact[], changes: readonly FileChange[]): CombinedChanges {
  const before = new Map(earlier.filter(({ type }) => type === "file").map(({ label, data }) => [label, data]));
  const isUndone = ({ path, change, sha256 }: FileChange): boolean => {
    const known = before.get(path);
    if (change === "deleted") return known?.["change"] === "created";
    return known?.["change"] === "deleted" && sha256 !== null && known["sha256"] === sha256;
  };
  return {
    files: changes.filter((each) => !isUndone(each)).map((each) => combine(each, before.get(each.path)?.["change"])),
    undone: changes.filter(isUndone).map(({ path }) => path),
  };
}

function combine(file: FileChange, before: unknown): FileChange {
  if (file.change === "modified" && before === "created") return { ...file, change: "created" };
  return file.change === "created" && before === "deleted" ? { ...file, change: "modified" } : file;
}
