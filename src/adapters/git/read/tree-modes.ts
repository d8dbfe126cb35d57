import { chmod, lstat, readdir, unlink } from "node:fs/promises";

const SLASH = Buffer.from("/");
const LONGEST_PATH = 4000;

/**
 * Makes a tree that an agent left safe to be read by git: every directory readable, and no pipe, socket or device,
 * which are never part of the work and on which a reader may wait for ever. Links are not followed.
 */
export async function calmTree(tree: string): Promise<void> {
  const directories: Buffer[] = [Buffer.from(tree)];
  for (const directory of directories) {
    await makeUsable(directory);
    for (const entry of await readdir(directory, { withFileTypes: true, encoding: "buffer" })) {
      const path = Buffer.concat([directory, SLASH, entry.name]);
      // Deeper than a path can name, git does not get either.
      if (path.length > LONGEST_PATH) continue;
      if (entry.isDirectory()) directories.push(path);
      else if (!entry.isFile() && !entry.isSymbolicLink()) await unlink(path);
    }
  }
}

/** Gives the owner all rights to a directory that is known not to be a link. */
export async function makeUsable(directory: Buffer): Promise<void> {
  const { mode } = await lstat(directory);
  if ((mode & 0o700) !== 0o700) await chmod(directory, 0o700);
}

export async function inBatches<T>(items: readonly T[], size: number, work: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += size) {
    await Promise.all(items.slice(start, start + size).map(work));
  }
}
