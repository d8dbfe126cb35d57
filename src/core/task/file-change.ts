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

/** A file that an earlier run of the task created is still new after a later run has modified it. */
export function combineChanges(earlier: readonly Artifact[], changes: readonly FileChange[]): readonly FileChange[] {
  const created = new Set(
    earlier.filter(({ type, data }) => type === "file" && data["change"] === "created").map(({ label }) => label),
  );
  return changes.map((each) =>
    each.change === "modified" && created.has(each.path) ? { ...each, change: "created" } : each,
  );
}
