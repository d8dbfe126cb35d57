import { chmod, lstat, readdir, unlink } from "node:fs/promises";

const SLASH = Buffer.from("/");
const MAX_PATH_BYTES = 4000;

/**
 * Makes an agent's checkout safe for git to read: makes every directory readable and removes pipes, sockets and devices,
 * which are never part of the work and could block a reader forever. Links are not followed.
 */
export async function makeTreeReadable(tree: string): Promise<void> {
  const directories: Buffer[] = [Buffer.from(tree)];
  for (const directory of directories) {
    if (((await lstat(directory)).mode & 0o700) !== 0o700) await chmod(directory, 0o700);
    for (const entry of await readdir(directory, { withFileTypes: true, encoding: "buffer" })) {
      const path = Buffer.concat([directory, SLASH, entry.name]);
      // git cannot reach deeper paths either.
      if (path.length > MAX_PATH_BYTES) continue;
      if (entry.isDirectory()) directories.push(path);
      else if (!entry.isFile() && !entry.isSymbolicLink()) await unlink(path);
    }
  }
}
