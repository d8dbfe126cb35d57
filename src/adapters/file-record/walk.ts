import { lstatSync, readdirSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { UserError } from "../../core/text/errors.ts";
import type { FileState, UnreadDirectory } from "../../ports/file-record.ts";
import { pathBytes, showPath } from "./entry.ts";
import type { Entry } from "./entry.ts";

const MOST_FILES = 500_000;
/** All paths together; they are kept as one text. */
const MOST_PATH_BYTES = 128 * 1024 * 1024;

export type Unhashed = Omit<Entry, "sha256">;

export interface Walked {
  readonly files: readonly Unhashed[];
  readonly unread: readonly UnreadDirectory[];
}

/** Everything below a directory that is no directory itself. Synchronous calls: with promises it takes three times as long. */
export function walk(dir: string, most = MOST_FILES): Walked {
  const files: Unhashed[] = [];
  const unread: UnreadDirectory[] = [];
  const directories = [""];
  let pathBytesLeft = MOST_PATH_BYTES;
  for (const directory of directories) {
    for (const name of list(dir, directory, unread)) {
      const path = directory === "" ? name : `${directory}/${name}`;
      const stats = look(dir, path, unread);
      if (stats === null) continue;
      pathBytesLeft -= path.length;
      if (stats.isDirectory()) directories.push(path);
      else files.push(describe(path, stats));
      if (files.length > most || pathBytesLeft < 0) throw tooMany(dir, most);
    }
  }
  return { files, unread };
}

function list(dir: string, directory: string, unread: UnreadDirectory[]): string[] {
  try {
    return readdirSync(pathBytes(dir, directory), "latin1");
  } catch (error) {
    // A directory that is not there from the start is a mistake; one that goes away during the walk is not.
    if (directory === "") throw error;
    note(error, directory, unread);
    return [];
  }
}

function look(dir: string, path: string, unread: UnreadDirectory[]): BigIntStats | null {
  try {
    return lstatSync(pathBytes(dir, path), { bigint: true });
  } catch (error) {
    note(error, path, unread);
    return null;
  }
}

function note(error: unknown, path: string, unread: UnreadDirectory[]): void {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOENT" || code === "ENOTDIR") return;
  const why = WHY[code];
  if (why === undefined) throw error;
  unread.push({ path, why });
}

const WHY: Readonly<Record<string, string>> = {
  EACCES: "may not be read",
  EPERM: "may not be read",
  ENAMETOOLONG: "lies deeper than a path can name",
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

function tooMany(dir: string, most: number): UserError {
  return new UserError(
    "invalid",
    `${showPath(Buffer.from(dir).toString("latin1"))} holds more than ${most.toLocaleString("en")} files, too many to keep a record of what changes.`,
    "Work in a smaller directory, or in one that is a git repository.",
  );
}
