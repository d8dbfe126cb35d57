import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { readAt } from "./read-at.ts";
import { openInside, unread } from "./open-inside.ts";
import type { Unread } from "./open-inside.ts";

export type WorkspaceFile = { readonly kind: "content"; readonly content: Buffer } | Unread;

/**
 * The only safe way to read a file by name in a checkout that an agent could change. The file may be a link to one of our
 * files, a pipe without a writer, a sparse file of fifty gigabytes, or change during the read.
 *
 * Hard links are rejected, too: ordinary files that are read by name have none, and not every sandbox keeps the agent from
 * creating one.
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
  if (before.nlink !== 1n) return unread("hard_link", "is a hard link to another file");
  if (before.size > BigInt(maxBytes)) return unread("too_large", `is larger than ${maxBytes} bytes`);
  const content = await readAt(handle, 0, Number(before.size));
  const after = await handle.stat({ bigint: true });
  if (content.length !== Number(before.size) || !isUntouched(before, after))
    return unread("changed", "changed while it was being read");
  return { kind: "content", content };
}

/** Compares ctime, which no program can set, so that it also reveals changes that were covered up. */
function isUntouched(before: BigIntStats, after: BigIntStats): boolean {
  return before.size === after.size && before.ctimeNs === after.ctimeNs;
}
