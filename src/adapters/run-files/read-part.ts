import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { readAt } from "../git/read/read-at.ts";

/** Reads bytes of a regular file from `start`, or returns null if there is none. A negative start counts from the end. */
export async function readPart(file: string, start: number, maxBytes: number): Promise<Buffer | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch(() => null);
  if (handle === null) return null;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return null;
    const from = start < 0 ? Math.max(0, stats.size + start) : Math.min(start, stats.size);
    return await readAt(handle, from, Math.min(maxBytes, stats.size - from));
  } finally {
    await handle.close();
  }
}
