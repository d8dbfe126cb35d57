import { lstat, mkdir, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import type { RunPaths } from "../../ports/run-files.ts";
import { removeTree } from "../git/workspace/remove-tree.ts";

/** Writes the agent's files. No process of this run or an earlier one is running at this time. */
export async function writeAgentFiles(
  { filesDir, home }: Pick<RunPaths, "filesDir" | "home">,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(filesDir, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    const root = [filesDir, home].find((each) => path.startsWith(each + sep));
    if (root === undefined) throw new Error(`${path} is neither in the files directory nor in the home of the agent.`);
    await makeFolders(root, relative(root, dirname(path)));
    await replace(path, content);
  }
}

/** Creates the folders. Replaces anything else that an agent left under these names, and follows no links. */
async function makeFolders(root: string, below: string): Promise<void> {
  let folder = root;
  for (const name of below.split(sep).filter((each) => each !== "")) {
    if (name === "..") throw new Error(`${below} is outside of ${root}.`);
    folder = join(folder, name);
    const found = await lstat(folder).catch(() => null);
    if (found?.isDirectory() === false) await removeTree(folder);
    await mkdir(folder, { recursive: true, mode: 0o755 });
  }
}

/** Writes a new file and renames it over the old one, so that a symbolic link is replaced and not followed. */
async function replace(path: string, content: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found?.isDirectory() === true) await removeTree(path);
  const draft = join(dirname(path), `.${basename(path)}.nightshift`);
  await removeTree(draft);
  // Readable for all, because the agent may run as another user. The file contains no secrets.
  await writeFile(draft, content, { mode: 0o644, flag: "wx" });
  await rename(draft, path);
}
