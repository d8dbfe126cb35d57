import { constants } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { relative, isAbsolute, sep } from "node:path";
import { ConfigError } from "../../core/text/errors.ts";

const MAX_TEXT_BYTES = 1_000_000;

/**
 * The text of a file that people wrote; null where there is none. Anything that is not a readable text of at most a
 * megabyte is a ConfigError, never an empty text.
 */
export async function readText(file: string, within: string | null = null): Promise<string | null> {
  const bytes = await readBytes(file, { within, max: MAX_TEXT_BYTES });
  if (bytes === null) return null;
  if (bytes.includes(0)) throw problem(file, "holds a NUL byte, so it is no text; write it as UTF-8 text");
  try {
    // With its byte order mark, so that the text has the hash of the file.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw problem(file, "is not UTF-8; save it as UTF-8");
  }
}

export interface ReadLimits {
  /** The folder that a link may not lead out of: a clone must not make us read the person's other files. */
  readonly within: string | null;
  readonly max: number;
}

/** The bytes of a regular file; null where there is none, ConfigError for anything else. */
export async function readBytes(file: string, { within, max }: ReadLimits): Promise<Buffer | null> {
  const place = await findPlace(file);
  if (place === null) return null;
  if (within !== null && !isInside(place, await realpath(within))) {
    throw problem(file, "leads outside the repository; put the file itself into the repository");
  }
  return readRegular(file, place, max);
}

async function findPlace(file: string): Promise<string | null> {
  try {
    return await realpath(file);
  } catch (error) {
    const code = errorCode(error);
    // A link that leads nowhere is a mistake; no file at all is not.
    if (code === "ENOENT" && !(await isLink(file))) return null;
    if (code === "ENOTDIR") return null;
    throw problem(file, `cannot be read (${code}); check the link and the rights of its folders`);
  }
}

async function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (stat) => stat.isSymbolicLink(),
    () => false,
  );
}

async function readRegular(file: string, place: string, max: number): Promise<Buffer> {
  let handle;
  try {
    // Without O_NONBLOCK a named pipe would hold us for ever; `place` has no links left to follow.
    handle = await open(place, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    throw problem(file, `cannot be read (${errorCode(error)}); check its rights`);
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
