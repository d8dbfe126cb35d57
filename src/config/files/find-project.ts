import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathExists } from "./path-exists.ts";

/** The folder of the project that `cwd` is in: where nightshift.yaml or the repository's top is; null where there is none. */
export async function findProjectDir(cwd: string): Promise<string | null> {
  for (let folder = await realpath(cwd); ; folder = dirname(folder)) {
    if ((await pathExists(join(folder, "nightshift.yaml"))) || (await pathExists(join(folder, ".git")))) return folder;
    if (folder === dirname(folder)) return null;
  }
}
