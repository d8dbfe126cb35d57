import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TaskPaths } from "../context.ts";
import { replaceFile } from "../git-dir.ts";

/**
 * Records that a home contains what a set-up made there. Agents keep their home for all runs of a role, so later runs do not need
 * a copy. The record is out of their reach; what they do to their home affects only themselves, because checks have another one.
 */
export async function markHome(task: TaskPaths, home: string, key: string): Promise<void> {
  await replaceFile(markOf(task, home), key);
}

export async function isMarkedHome(task: TaskPaths, home: string, key: string): Promise<boolean> {
  return (await readFile(markOf(task, home), "utf8").catch(() => null)) === key;
}

function markOf({ engine }: TaskPaths, home: string): string {
  return join(engine, "homes", createHash("sha256").update(home).digest("hex").slice(0, 32));
}
