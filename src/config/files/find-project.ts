import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathExists } from "./paths.ts";

/**
 * Finds the project folder of `cwd`: the git repository that contains it, otherwise the nearest parent with a nightshift.yaml.
 * A repository is one project, so files in its folders do not count. Returns null if there is neither.
 */
export async function findProjectDir(cwd: string): Promise<string | null> {
  let plain: string | null = null;
  for (let folder = await realpath(cwd); ; folder = dirname(folder)) {
    if (await pathExists(join(folder, ".git"))) return folder;
    if (plain === null && (await pathExists(join(folder, "nightshift.yaml")))) plain = folder;
    if (folder === dirname(folder)) return plain;
  }
}

/** The nightshift.yaml files below the project's folder that a person in `cwd` might expect to count. */
export async function listIgnoredFiles(cwd: string, projectDir: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (
    let folder = await realpath(cwd);
    folder !== projectDir && folder !== dirname(folder);
    folder = dirname(folder)
  ) {
    const file = join(folder, "nightshift.yaml");
    if (await pathExists(file)) found.push(file);
  }
  return found;
}
