import { randomBytes } from "node:crypto";
import { lstat, rename, rm, writeFile } from "node:fs/promises";
import { UserError } from "../../core/text/errors.ts";
import { errorCode } from "./read-text.ts";

/**
 * Writes a file into a person's checkout. Never writes through a link, because the author of the repository chose the link's
 * target. Without `overwrite`, keeps an existing file and returns false. With it, replaces what has that name, even a link.
 */
export async function writeCheckoutFile(
  file: string,
  text: string,
  { overwrite }: { readonly overwrite: boolean },
): Promise<boolean> {
  if (!overwrite && (await isExistingFile(file))) return false;
  // "wx" fails for every existing name, including a link, and renaming replaces a link instead of following it.
  const created = overwrite ? `${file}.${randomBytes(6).toString("hex")}` : file;
  try {
    await writeFile(created, text, { flag: "wx" });
    if (overwrite) await rename(created, file);
    return true;
  } catch (error) {
    if (overwrite) await rm(created, { force: true });
    throw new UserError(
      "unavailable",
      `Cannot write ${file} (${errorCode(error)}).`,
      "Check what has that name, and the permissions of its folder.",
    );
  }
}

async function isExistingFile(file: string): Promise<boolean> {
  const stat = await lstat(file).catch(() => null);
  if (stat?.isSymbolicLink() !== true) return stat !== null;
  throw new UserError(
    "invalid",
    `${file} is a symbolic link, which Nightshift does not write through.`,
    "Put a regular file in its place, or replace the link with --force.",
  );
}
