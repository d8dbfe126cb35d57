import { lstat } from "node:fs/promises";

/** True for anything of that name, a link that leads nowhere too. */
export async function pathExists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
