import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { readAt } from "../git/read/read-at.ts";

export interface FilePart {
  readonly part: Buffer;
  /** Position of the part in the file. */
  readonly start: number;
  /** Of the whole file. */
  readonly size: number;
}

/** Reads bytes of a regular file from `start`, or returns null if there is none. A negative start counts from the end. */
export async function readPart(file: string, start: number, maxBytes: number): Promise<FilePart | null> {
  return readRange(file, (size) => {
    const from = start < 0 ? Math.max(0, size + start) : Math.min(start, size);
    return { from, length: Math.min(maxBytes, size - from) };
  });
}

/** Reads the last bytes before `end`. */
export async function readEnd(file: string, end: number, maxBytes: number): Promise<FilePart | null> {
  return readRange(file, (size) => {
    const to = Math.min(end, size);
    const from = Math.max(0, to - maxBytes);
    return { from, length: to - from };
  });
}

async function readRange(
  file: string,
  choose: (size: number) => { readonly from: number; readonly length: number },
): Promise<FilePart | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch(() => null);
  if (handle === null) return null;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return null;
    const { from, length } = choose(stats.size);
    return { part: await readAt(handle, from, length), start: from, size: stats.size };
  } finally {
    await handle.close();
  }
}
