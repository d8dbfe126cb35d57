import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathExists } from "./paths.ts";

/** Finds the project folder of `cwd`: the nearest parent with nightshift.yaml or .git. Returns null if there is none. */
export async function findProjectDir(cwd: string): Promise<string | null> {
  for (let folder = await realpath(cwd); ; folder = dirname(folder)) {
    if ((await pathExists(join(folder, "nightshift.yaml"))) || (await pathExists(join(folder, ".git")))) return folder;
    if (folder === dirname(folder)) return null;
  }
}
