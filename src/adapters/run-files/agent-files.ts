import { lstat, mkdir, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import type { RunPaths } from "../../ports/run-files.ts";
import { removeTree } from "../git/workspace/remove-tree.ts";

/** Writes them one by one; no process of the run lives yet, and none of an earlier one any more. */
export async function writeAgentFiles(
  { filesDir, home }: Pick<RunPaths, "filesDir" | "home">,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(filesDir, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    const root = [filesDir, home].find((each) => path.startsWith(each + sep));
    if (root === undefined) throw new Error(`${path} is neither in the files nor in the home of the agent.`);
    await makeFolders(root, relative(root, dirname(path)));
    await replace(path, content);
  }
}

/** Each folder on the way is one: what else an agent left under its name is removed, and no link is followed. */
async function makeFolders(root: string, below: string): Promise<void> {
  let folder = root;
  for (const name of below.split(sep).filter((each) => each !== "")) {
    if (name === "..") throw new Error(`${below} leads out of ${root}.`);
    folder = join(folder, name);
    const found = await lstat(folder).catch(() => null);
    if (found?.isDirectory() === false) await removeTree(folder);
    await mkdir(folder, { recursive: true, mode: 0o755 });
  }
}

/** By a new file that takes the place of the old one: whoever reads the name through a link writes nowhere else. */
async function replace(path: string, content: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found?.isDirectory() === true) await removeTree(path);
  const draft = join(dirname(path), `.${basename(path)}.nightshift`);
  await removeTree(draft);
  // The agent may be another user, and nothing in it is secret.
  await writeFile(draft, content, { mode: 0o644, flag: "wx" });
  await rename(draft, path);
}
