import type { FileState, UnreadDirectory } from "../../ports/file-record.ts";

/** A file as a snapshot keeps it. Paths are bytes, one character each (latin1): a file name need not be text. */
export interface Entry extends FileState {
  readonly path: string;
  /** Differs when anything was done to the file; no program can set a ctime back. */
  readonly key: string;
  readonly ctimeMs: number;
}

export interface Found {
  readonly entries: readonly Entry[];
  readonly unread: readonly UnreadDirectory[];
}

export interface KeptSnapshot extends Found {
  /** When its walk began, in milliseconds. */
  readonly at: number;
  readonly hashed: number;
}

/** For people: bytes that are no text are replaced. */
export function showPath(path: string): string {
  return Buffer.from(path, "latin1").toString();
}

export function pathBytes(dir: string, path: string): Buffer {
  const root = Buffer.from(dir);
  return path === "" ? root : Buffer.concat([root, Buffer.from(`/${path}`, "latin1")]);
}
