import type { FileState, UnreadDirectory } from "../../ports/file-record.ts";

/** A file in a snapshot. The path has one character per byte (latin1), because a file name need not be valid text. */
export interface Entry extends FileState {
  readonly path: string;
  /** Changes with every modification of the file, because no program can reset a ctime. */
  readonly key: string;
  readonly ctimeMs: number;
}

export interface Found {
  readonly entries: readonly Entry[];
  readonly unread: readonly UnreadDirectory[];
}

export interface KeptSnapshot extends Found {
  /** When the walk began, in milliseconds. */
  readonly at: number;
  readonly hashed: number;
}

/** Path for messages: invalid bytes are replaced. */
export function showPath(path: string): string {
  return Buffer.from(path, "latin1").toString();
}

export function pathBytes(dir: string, path: string): Buffer {
  const root = Buffer.from(dir);
  return path === "" ? root : Buffer.concat([root, Buffer.from(`/${path}`, "latin1")]);
}
