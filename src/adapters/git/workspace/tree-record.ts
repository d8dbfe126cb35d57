import { lstat, readFile } from "node:fs/promises";
import { bootId } from "../../process/job-files.ts";
import type { GitContext, TreePaths } from "../context.ts";
import { exists, replaceFile } from "../git-dir.ts";
import { isCode } from "../mirror/locks.ts";
import { findFreePorts, type PortReservation } from "./ports.ts";

/** Metadata about a checkout, stored outside of it. The files are not flushed, so none survives a power cut reliably. */
export interface TreeRecord extends PortReservation {
  readonly commit: string;
  /** Files copied from the user's checkout, which are not part of the work. */
  readonly copied: readonly string[];
  /** What it links to in the user's checkout. The links themselves are in `copied`. Missing in records of earlier versions. */
  readonly links?: readonly string[];
}

/** Returns null if the checkout does not exist, is incomplete or is from before a reboot. A link in its place is not our checkout. */
export async function readRecord(tree: TreePaths): Promise<TreeRecord | null> {
  const kind = await lstat(tree.tree).catch(() => null);
  // Without its index, every file would look new and none deleted.
  if (!kind?.isDirectory() || !(await exists(tree.index))) return null;
  try {
    // Only we write this file, so its shape is known. A file damaged by a power failure is not valid JSON.
    const record = JSON.parse(await readFile(tree.record, "utf8")) as TreeRecord;
    return record.boot === bootId() ? record : null;
  } catch (error) {
    if (isCode(error, "ENOENT") || error instanceof SyntaxError) return null;
    throw error;
  }
}

const PORTS_KEY = "ports of all tasks";

/** Ports are reserved by being in a record, so they are chosen and written under one lock. */
export async function writeRecord(
  context: GitContext,
  tree: TreePaths,
  about: Pick<TreeRecord, "commit" | "copied" | "links">,
  ports: number,
): Promise<TreeRecord> {
  const write = async (reserved: Pick<TreeRecord, "ports">): Promise<TreeRecord> => {
    const record = { ...about, boot: bootId(), ...reserved };
    await replaceFile(tree.record, JSON.stringify(record));
    return record;
  };
  if (ports === 0) return await write({});
  const reserve = async () => ({ ports: await findFreePorts(context.workspacesDir, ports) });
  return await context.locks(PORTS_KEY, async () => await write(await reserve()));
}
