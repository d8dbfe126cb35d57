import { lstatSync, readdirSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { UserError } from "../../core/text/errors.ts";
import type { FileState, UnreadDirectory } from "../../ports/file-record.ts";
import { pathBytes, showPath } from "./entry.ts";
import type { Entry } from "./entry.ts";

const MAX_FILES = 500_000;
/** Limit for all paths together, which are kept in memory. */
const MAX_PATH_BYTES = 128 * 1024 * 1024;

export type Unhashed = Omit<Entry, "sha256">;

export interface Walked {
  readonly files: readonly Unhashed[];
  readonly unread: readonly UnreadDirectory[];
}

/** Lists everything below a directory except directories. Synchronous, because promises take three times as long. */
export function walk(dir: string, maxFiles = MAX_FILES): Walked {
  const files: Unhashed[] = [];
  const unread: UnreadDirectory[] = [];
  const directories = [""];
  let pathBytesLeft = MAX_PATH_BYTES;
  for (const directory of directories) {
    for (const name of list(dir, directory, unread)) {
      const path = directory === "" ? name : `${directory}/${name}`;
      const stats = readStats(dir, path, unread);
      if (stats === null) continue;
      pathBytesLeft -= path.length;
      if (stats.isDirectory()) directories.push(path);
      else files.push(describe(path, stats));
      if (files.length > maxFiles || pathBytesLeft < 0) throw tooMany(dir, maxFiles);
    }
  }
  return { files, unread };
}

function list(dir: string, directory: string, unread: UnreadDirectory[]): string[] {
  try {
    return readdirSync(pathBytes(dir, directory), "latin1");
  } catch (error) {
    // The root must exist; other directories may disappear during the walk.
    if (directory === "") throw error;
    noteUnread(error, directory, unread);
    return [];
  }
}

function readStats(dir: string, path: string, unread: UnreadDirectory[]): BigIntStats | null {
  try {
    return lstatSync(pathBytes(dir, path), { bigint: true });
  } catch (error) {
    noteUnread(error, path, unread);
    return null;
  }
}

function noteUnread(error: unknown, path: string, unread: UnreadDirectory[]): void {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOENT" || code === "ENOTDIR") return;
  const why = REASONS[code];
  if (why === undefined) throw error;
  unread.push({ path, why });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "is not readable",
  EPERM: "is not readable",
  ENAMETOOLONG: "is deeper than the path limit",
  EIO: "cannot be read from the disk",
  ESTALE: "cannot be read from the disk",
};

function describe(path: string, stats: BigIntStats): Unhashed {
  const { ino, size, ctimeNs, mode } = stats;
  return {
    path,
    kind: kindOf(stats),
    size: Number(size),
    mode: Number(mode) & 0o7777,
    key: `${ino}:${size}:${ctimeNs}:${mode}`,
    ctimeMs: Number(ctimeNs / 1_000_000n),
  };
}

function kindOf(stats: BigIntStats): FileState["kind"] {
  if (stats.isFile()) return "file";
  return stats.isSymbolicLink() ? "link" : "other";
}

function tooMany(dir: string, maxFiles: number): UserError {
  return new UserError(
    "invalid",
    `${showPath(Buffer.from(dir).toString("latin1"))} contains more than ${maxFiles.toLocaleString("en")} files, which is too many to record changes.`,
    "Use a smaller directory or a git repository.",
  );
}
