import { randomBytes } from "node:crypto";
import { lstat, mkdir, open, rename, rm, rmdir, symlink } from "node:fs/promises";
import type { Stats } from "node:fs";
import { dirname, join } from "node:path";
import type { FileChange, FileSide } from "../../core/change/file-change.ts";
import { UserError } from "../../core/text/errors.ts";
import { textOf } from "./compare-file.ts";

/** Replaces, creates or deletes one file. A crash leaves either the old or the new one. */
export async function writeFileChange(root: string, { path, after }: FileChange): Promise<void> {
  if (after === null) return removeFile(root, path);
  await makeParents(root, path);
  const target = join(root, path);
  const draft = join(dirname(target), `.nightshift-${randomBytes(6).toString("hex")}`);
  try {
    await writeDraft(draft, after, await lstat(target).catch(() => null));
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** `before`: what is replaced. A file that only its owner can read stays so. */
async function writeDraft(draft: string, side: FileSide, before: Stats | null): Promise<void> {
  if (side.kind === "link") return symlink(textOf(side), draft);
  // `wx` follows no link. For a new file, the umask applies, as for any file that the person creates.
  const handle = await open(draft, "wx", side.kind === "executable" ? 0o777 : 0o666);
  try {
    if (before?.isFile() === true) await handle.chmod(modeOf(side, before.mode & 0o777));
    await handle.writeFile(side.content ?? Buffer.alloc(0));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Who can read an executable file can execute it. */
function modeOf({ kind }: FileSide, mode: number): number {
  return kind === "executable" ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
}

/** Also removes directories that are empty then, as git does. */
async function removeFile(root: string, path: string): Promise<void> {
  await rm(join(root, path), { force: true });
  for (let parent = dirname(path); parent !== "."; parent = dirname(parent)) {
    const removed = await rmdir(join(root, parent)).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}

async function makeParents(root: string, path: string): Promise<void> {
  const parts = path.split("/").slice(0, -1);
  let parent = root;
  for (const part of parts) {
    parent = join(parent, part);
    await mkdir(parent).catch(() => undefined);
    if ((await lstat(parent)).isDirectory()) continue;
    throw new UserError("conflict", `${parent} is not a directory, so "${path}" cannot be written.`);
  }
}
