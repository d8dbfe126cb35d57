import { chmod } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { UserError } from "../../../core/text/errors.ts";
import { bytesOf } from "./changes.ts";
import { openInside } from "./open-inside.ts";

/** A file in a checkout after the agent ran. The path has one character per byte. */
export interface FileEntry {
  readonly path: string;
  readonly size: number;
}

const PIECE_BYTES = 1024 * 1024;

/** Reads the file in pieces, exactly as many bytes as `size`. */
export async function* readPieces(root: string, entry: FileEntry): AsyncGenerator<Buffer> {
  const handle = await openEntry(root, entry.path);
  try {
    let left = entry.size;
    while (left > 0) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(Math.min(left, PIECE_BYTES)));
      if (bytesRead === 0) throw fileChangedError(entry.path);
      yield buffer.subarray(0, bytesRead);
      left -= bytesRead;
    }
  } finally {
    await handle.close();
  }
}

export async function openEntry(root: string, path: string): Promise<FileHandle> {
  const name = Buffer.from(path, "latin1");
  let opened = await openInside(root, name);
  if (opened.kind === "unread" && opened.problem === "unreadable") {
    await chmod(bytesOf(root, path), 0o600);
    opened = await openInside(root, name);
  }
  if (opened.kind === "opened") return opened.handle;
  throw fileChangedError(path);
}

export function showPath(path: string): string {
  return JSON.stringify(Buffer.from(path, "latin1").toString());
}

export function fileChangedError(path: string): UserError {
  return new UserError(
    "conflict",
    `${showPath(path)} changed while it was being collected.`,
    "Something the agent started is still running in the workspace; stop it and try again.",
  );
}
