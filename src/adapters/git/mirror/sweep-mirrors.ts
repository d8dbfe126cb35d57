import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { GitContext } from "../context.ts";
import { removeTree } from "../workspace/remove-tree.ts";
import { isCode } from "./locks.ts";

/**
 * Removes what crashed processes left next to and inside the mirrors: our locks and unfinished mirrors, git's locks and
 * partially received objects. A git that outlived its daemon loses its work, which no longer has a reader.
 */
export async function sweepMirrors({ mirrorsDir }: GitContext): Promise<void> {
  for (const name of await list(mirrorsDir)) {
    const path = join(mirrorsDir, name);
    if (!name.endsWith(".git")) await removeTree(path);
    else for (const inside of await list(path, true)) if (isLeftover(inside)) await removeTree(join(path, inside));
  }
}

function isLeftover(path: string): boolean {
  return path.endsWith(".lock") || /^(rescue\.git\/)?objects\/(.*\/)?\.?tmp_/.test(path);
}

async function list(dir: string, recursive = false): Promise<readonly string[]> {
  try {
    return await readdir(dir, { recursive, encoding: "utf8" });
  } catch (error) {
    if (isCode(error, "ENOENT")) return [];
    throw error;
  }
}
