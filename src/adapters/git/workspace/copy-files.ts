import { constants } from "node:fs";
import { lstat, mkdir, open, realpath, symlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import { containsGitDirectory } from "../names.ts";
import { isCode } from "../mirror/locks.ts";

/** Copies plain files from the user's checkout into a workspace and returns those that existed. Links are never followed. */
export async function copyFiles(
  copy: { readonly from: string; readonly files: readonly string[] },
  to: string,
): Promise<string[]> {
  const copied: string[] = [];
  for (const file of copy.files) {
    checkRelative(file);
    const source = await openPlain(copy.from, file);
    if (!source) continue;
    try {
      await writePlain(source, to, file);
    } finally {
      await source.close();
    }
    copied.push(file);
  }
  return copied;
}

export interface LinkedFile {
  readonly file: string;
  /** In the user's checkout. */
  readonly target: string;
}

/**
 * Links to files and folders of the user's checkout and returns those that existed. What they lead to must be in the checkout,
 * because the sandbox makes it readable.
 */
export async function linkFiles(
  link: { readonly from: string; readonly files: readonly string[] },
  to: string,
): Promise<LinkedFile[]> {
  const linked: LinkedFile[] = [];
  const root = await realpath(link.from);
  for (const file of link.files) {
    checkRelative(file, "link");
    const target = join(root, file);
    const found = await lstat(target).catch(() => null);
    if (found === null) continue;
    if (!found.isFile() && !found.isDirectory())
      throw refusal(file, "is neither a plain file nor a folder in the checkout", "link");
    await checkInside(root, target, file, "link");
    await makeParents(to, file, "link");
    await symlink(target, join(to, file)).catch((error: unknown) => {
      throw isCode(error, "EEXIST") ? refusal(file, "is part of the repository", "link") : error;
    });
    linked.push({ file, target });
  }
  return linked;
}

/** Returns a .gitignore pattern that matches exactly this path. */
export function ignorePattern(file: string): string {
  return `/${file.replaceAll(/[\\*?[\] !#]/g, String.raw`\$&`)}`;
}

type Manner = "copy" | "link";

function checkRelative(file: string, manner: Manner = "copy"): void {
  const parts = file.split("/");
  const inside = !file.startsWith("/") && !parts.some((part) => part === "" || part === "." || part === "..");
  if (inside && !/[\0\n\r]/.test(file) && !containsGitDirectory(Buffer.from(file).toString("latin1"))) return;
  throw refusal(file, "is not a path inside the checkout", manner);
}

async function openPlain(from: string, file: string): Promise<FileHandle | null> {
  try {
    const path = join(from, file);
    await checkInside(from, dirname(path), file);
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return null;
    if (!isCode(error, "ELOOP", "ENXIO")) throw error;
  }
  throw refusal(file, "is not a plain file in the checkout");
}

async function writePlain(source: FileHandle, to: string, file: string): Promise<void> {
  const path = join(to, file);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  await makeParents(to, file);
  const target = await open(path, flags, (await source.stat()).mode & 0o700).catch((error: unknown) => {
    throw isCode(error, "ELOOP") ? refusal(file, "is a link in the repository") : error;
  });
  try {
    await target.writeFile(source.createReadStream({ autoClose: false }));
  } finally {
    await target.close();
  }
}

/** Creates one level at a time, because a directory that is a link in the repository would lead outside. */
async function makeParents(to: string, file: string, manner: Manner = "copy"): Promise<void> {
  const parts = file.split("/").slice(0, -1);
  let path = to;
  for (const part of parts) {
    path = join(path, part);
    await mkdir(path).catch((error: unknown) => {
      if (!isCode(error, "EEXIST")) throw error;
    });
    await checkInside(to, path, file, manner);
  }
}

async function checkInside(root: string, path: string, file: string, manner: Manner = "copy"): Promise<void> {
  const [realRoot, real] = await Promise.all([realpath(root), realpath(path)]);
  if (real !== realRoot && !real.startsWith(realRoot + sep))
    throw refusal(file, "leads outside the checkout through a link", manner);
}

function refusal(file: string, why: string, manner: Manner = "copy"): UserError {
  return manner === "copy"
    ? new UserError(
        "invalid",
        `"${file}" cannot be copied into a workspace: it ${why}.`,
        "Use relative paths of plain files in `workspace.copy`.",
      )
    : new UserError(
        "invalid",
        `"${file}" cannot be linked into a workspace: it ${why}.`,
        "Use relative paths of untracked files and folders in `workspace.link`.",
      );
}
