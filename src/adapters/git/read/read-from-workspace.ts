import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { openInside, unread } from "./open-inside.ts";
import type { Unread } from "./open-inside.ts";

export type WorkspaceFile = { readonly kind: "content"; readonly content: Buffer } | Unread;

/**
 * The only way to read a file by name in a tree that an agent touched. The agent may have made it a link to a file of ours, a
 * pipe that nobody writes to, a file of fifty gigabytes without a byte in it, or may be changing it now.
 *
 * A second name of a file elsewhere (a hard link) is refused too: no honest file that is read by its name has one, and where
 * the wall does not keep the agent from making it, this does.
 */
export async function readFromWorkspace(
  root: string,
  path: string | Buffer,
  { maxBytes }: { readonly maxBytes: number },
): Promise<WorkspaceFile> {
  const opened = await openInside(root, path);
  if (opened.kind === "unread") return opened;
  try {
    return await readWhole(opened.handle, maxBytes);
  } finally {
    await opened.handle.close();
  }
}

async function readWhole(handle: FileHandle, maxBytes: number): Promise<WorkspaceFile> {
  const before = await handle.stat({ bigint: true });
  if (before.nlink !== 1n) return unread("hard_link", "is a hard link: another name of some file");
  if (before.size > BigInt(maxBytes)) return unread("too_large", `is larger than ${maxBytes} bytes`);
  const content = await readUpTo(handle, Number(before.size));
  const after = await handle.stat({ bigint: true });
  if (content.length !== Number(before.size) || !isUntouched(before, after))
    return unread("changed", "changed while it was being read");
  return { kind: "content", content };
}

/** ctime, which no program can set: it also tells of a change whose traces were removed. */
function isUntouched(before: BigIntStats, after: BigIntStats): boolean {
  return before.size === after.size && before.ctimeNs === after.ctimeNs;
}

async function readUpTo(handle: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(buffer, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}
