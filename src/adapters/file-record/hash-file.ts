import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from "node:fs";
import { createHash, hash } from "node:crypto";
import type { Unhashed } from "./walk.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const buffer = Buffer.allocUnsafe(1024 * 1024);

/** Returns null for files that have no content, are unreadable, are gone or were replaced. */
export function hashFile(name: Buffer, file: Unhashed): string | null {
  if (file.kind === "other") return null;
  try {
    return file.kind === "link" ? hash("sha256", readlinkSync(name, "buffer")) : hashContent(name, file);
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

/** Reads a file that is small enough. Returns null like `hashFile`. */
export function readContent(name: Buffer, file: Unhashed): Uint8Array | null {
  try {
    if (file.kind === "link") return readlinkSync(name, "buffer");
    const handle = openSync(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const { ino } = fstatSync(handle, { bigint: true });
      if (!file.key.startsWith(`${ino}:`)) return null;
      // Not to the end, because a file may grow as fast as it is read.
      const content = Buffer.alloc(file.size);
      return content.subarray(0, readSync(handle, content));
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

function hashContent(name: Buffer, file: Unhashed): string | null {
  const handle = openSync(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { ino } = fstatSync(handle, { bigint: true });
    if (!file.key.startsWith(`${ino}:`)) return null;
    const first = readSync(handle, buffer);
    // Most files end here, and one call is faster than three.
    if (first < buffer.length) return hash("sha256", buffer.subarray(0, first));
    const sum = createHash("sha256");
    // Stop at the original size, because a file may grow as fast as it is read.
    for (let length = first, total = 0; length > 0 && total <= file.size; length = readSync(handle, buffer)) {
      sum.update(buffer.subarray(0, length));
      total += length;
    }
    return sum.digest("hex");
  } finally {
    closeSync(handle);
  }
}
