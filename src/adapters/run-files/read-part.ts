import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** Reads bytes of a regular file from `start`, or returns null if there is none. A negative start counts from the end. */
export async function readPart(file: string, start: number, maxBytes: number): Promise<Buffer | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch(() => null);
  if (handle === null) return null;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return null;
    const from = start < 0 ? Math.max(0, stats.size + start) : Math.min(start, stats.size);
    const buffer = Buffer.alloc(Math.min(maxBytes, stats.size - from));
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, from + length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } finally {
    await handle.close();
  }
}
