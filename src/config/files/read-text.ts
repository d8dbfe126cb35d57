import { constants } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { relative, isAbsolute, sep } from "node:path";
import { ConfigError } from "../../core/text/errors.ts";

/** Of prompts and instructions. */
const MAX_TEXT_BYTES = 1_000_000;
/** Of config.yaml and nightshift.yaml. YAML of a megabyte takes seconds to parse. */
export const MAX_CONFIG_BYTES = 256 * 1024;

/**
 * Reads a text file, or returns null if it does not exist. Throws ConfigError for anything that is not readable UTF-8 text of
 * at most `max` bytes.
 */
export async function readText(
  file: string,
  within: string | null = null,
  max: number = MAX_TEXT_BYTES,
): Promise<string | null> {
  const bytes = await readBytes(file, { within, max });
  if (bytes === null) return null;
  if (bytes.includes(0)) throw problem(file, "contains a NUL byte and is not text; save it as UTF-8 text");
  try {
    // Keep the byte order mark, so that the hash of the text equals the hash of the file.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw problem(file, "is not UTF-8; save it as UTF-8");
  }
}

export interface ReadLimits {
  /** Links must not lead out of this folder, because a repository must not make us read the person's other files. */
  readonly within: string | null;
  readonly max: number;
}

/** Reads a regular file, or returns null if it does not exist. Throws ConfigError for anything else. */
export async function readBytes(file: string, { within, max }: ReadLimits): Promise<Buffer | null> {
  const target = await resolveLinks(file);
  if (target === null) return null;
  if (within !== null && !isInside(target, await realpath(within))) {
    throw problem(file, "is a link to a file outside the repository; put the file itself into the repository");
  }
  return readRegular(file, target, max);
}

async function resolveLinks(file: string): Promise<string | null> {
  try {
    return await realpath(file);
  } catch (error) {
    const code = errorCode(error);
    // A missing file is allowed, but a broken link is an error.
    if (code === "ENOENT" && !(await isLink(file))) return null;
    if (code === "ENOTDIR") return null;
    throw problem(file, `cannot be read (${code}); check the link and the permissions of its folders`);
  }
}

async function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (stat) => stat.isSymbolicLink(),
    () => false,
  );
}

async function readRegular(file: string, target: string, max: number): Promise<Buffer> {
  let handle;
  try {
    // Without O_NONBLOCK, opening a named pipe would block forever. The links of `target` are already resolved.
    handle = await open(target, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    throw problem(file, `cannot be read (${errorCode(error)}); check its permissions`);
  }
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw problem(file, "is not a regular file");
    if (stat.size > max) throw problem(file, `has ${stat.size} bytes; allowed: at most ${max}`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`));
}

function problem(file: string, message: string): ConfigError {
  return new ConfigError([{ file, line: null, column: null, key: "", message }]);
}

export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
