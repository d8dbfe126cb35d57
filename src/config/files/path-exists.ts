import { lstat } from "node:fs/promises";

/** True for anything with that name, including a broken link. */
export async function pathExists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
