import { createHash } from "node:crypto";
import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { MachineError } from "../../core/text/errors.ts";

/** Linux allows 107 bytes for the path of a Unix socket, macOS 103. */
const MAX_BYTES = 103;

/** Returns the path of a job's control socket. */
export function socketPath(home: string, dir: string): string {
  const name = `${shortHash(dir)}.sock`;
  const near = join(home, "s", name);
  return Buffer.byteLength(near) <= MAX_BYTES ? near : join(tmpdir(), `nightshift-${shortHash(home)}`, name);
}

/** Returns the folder of all control sockets of this home. */
export function socketFolder(home: string): string {
  return dirname(socketPath(home, ""));
}

/** Also creates the directory of the socket, which only the owner may enter. */
export function prepareSocketPath(home: string, dir: string): string {
  const path = socketPath(home, dir);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  assertPrivate(dirname(path));
  return path;
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** In a shared temporary directory, another user may have created the folder before. */
function assertPrivate(folder: string): void {
  const stats = lstatSync(folder);
  if (stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0) return;
  throw new MachineError(
    `${folder} must be a directory that only you can enter, because it contains control sockets.`,
    "Remove it, or correct its owner and mode (0700).",
  );
}
