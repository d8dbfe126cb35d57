import { findRenames } from "../../../../../src/core/change/find-renames.ts";
import { readHunks, type FileHunks } from "../../../../../src/core/change/read-hunks.ts";
import { type FilePatch, splitPatch } from "../../../../../src/core/change/split-patch.ts";
import type { DiffJson, TaskJson } from "../../../../../src/http/client/client.ts";

export type { DiffJson };
export type Finding = DiffJson["findings"][number];
export type ReviewJson = TaskJson["reviews"][number];

/** A comment of an earlier review. */
export interface Remark {
  readonly review: ReviewJson;
  /** Reviews are numbered from 1. */
  readonly round: number;
  readonly comment: ReviewJson["comments"][number];
}

/** A changed file with everything that was said about it. */
export interface ChangedFile extends Pick<FilePatch, "path" | "change" | "insertions" | "deletions" | "binary"> {
  readonly findings: readonly Finding[];
  readonly remarks: readonly Remark[];
  /** The path before the file was moved. */
  readonly movedFrom: string | null;
  /** Changes with the file's content, so that "viewed" holds for what was seen. */
  readonly fingerprint: string;
  /** The file's part of the patch. Empty if the patch was cut before it. */
  readonly patch: string;
  readonly hunks: () => FileHunks;
}

export interface Change {
  /** Files with findings first, then files with comments, then by path. */
  readonly files: readonly ChangedFile[];
  /** Comments on the change as a whole, and on files that it does not touch. */
  readonly remarks: readonly Remark[];
  readonly lines: number;
}

/** Collects a change and what was said about it. */
export function collectChange(diff: DiffJson, reviews: readonly ReviewJson[]): Change {
  const patches = splitPatch(diff.patch);
  const byPath = new Map(patches.map((patch) => [patch.path, patch]));
  const renames = findRenames(patches);
  const moved = new Set(renames.values());
  const remarks = listRemarks(reviews);
  const files = diff.files
    // A moved file is shown once.
    .filter(({ path }) => !moved.has(path))
    .map((file): ChangedFile => {
      const patch = byPath.get(file.path)?.text ?? "";
      const movedFrom = renames.get(file.path) ?? null;
      return {
        ...file,
        findings: diff.findings.filter(({ path }) => path === file.path),
        remarks: remarks.filter(({ comment }) => comment.file === file.path),
        movedFrom,
        fingerprint: hash(patch),
        patch,
        // A moved file has the same lines as before.
        hunks: once(() => (movedFrom === null ? readHunks(patch) : { hunks: [], mode: null })),
      };
    });
  const paths = new Set(files.map(({ path }) => path));
  return {
    files: files.toSorted((a, b) => weight(b) - weight(a)),
    remarks: remarks.filter(({ comment }) => comment.file === null || !paths.has(comment.file)),
    lines: diff.files.reduce((sum, file) => sum + file.insertions + file.deletions, 0),
  };
}

function listRemarks(reviews: readonly ReviewJson[]): readonly Remark[] {
  return reviews.flatMap((review, index) =>
    review.comments.map((comment): Remark => ({ review, round: index + 1, comment })),
  );
}

function weight({ findings, remarks }: ChangedFile): number {
  return (findings.length > 0 ? 2 : 0) + (remarks.length > 0 ? 1 : 0);
}

function once<T>(compute: () => T): () => T {
  let result: { readonly value: T } | null = null;
  return () => (result ??= { value: compute() }).value;
}

/** FNV-1a: short, and the same text always has the same one. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value >>> 0).toString(36);
}
