import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { terminalText } from "../../../core/text/terminal-text.ts";

export interface Inspected {
  /** Number of files, links and folders. */
  readonly files: number;
  readonly bytes: number;
  /** Links whose target is below one of the given folders, as text with one character per byte. */
  readonly links: readonly string[];
}

export interface InspectParams {
  /** Paths to inspect, with everything below them. */
  readonly roots: readonly string[];
  /** Links to something in these folders are reported. */
  readonly origins: readonly string[];
  readonly maxFiles: number;
  readonly maxBytes: number;
}

const SLASH = Buffer.from("/");
const AT_ONCE = 200;
const SET_ID_BITS = 0o6000;

/** Counts files without following links. Throws an error that says why, if they cannot be copied safely. */
export async function inspectFiles({ roots, origins, maxFiles, maxBytes }: InspectParams): Promise<Inspected> {
  const paths = roots.map((root) => Buffer.from(root));
  const folders = origins.map((origin) => Buffer.from(origin).toString("latin1"));
  const links: string[] = [];
  let bytes = 0;
  for (const [at, path] of paths.entries()) {
    const found = lstatSync(path);
    const name = terminalText(path.toString()).replaceAll("\n", " ");
    if (found.isDirectory())
      for (const entry of readdirSync(path, { encoding: "buffer" })) paths.push(Buffer.concat([path, SLASH, entry]));
    else if (found.isSymbolicLink()) {
      const target = readlinkSync(path, { encoding: "latin1" });
      if (folders.some((folder) => target === folder || target.startsWith(`${folder}/`)))
        links.push(path.toString("latin1"));
    } else if (!found.isFile()) throw new Error(`${name} is neither a file nor a folder nor a link`);
    else if ((found.mode & SET_ID_BITS) !== 0) throw new Error(`${name} would run with the rights of its owner`);
    else bytes += found.size;
    if (paths.length > maxFiles || bytes > maxBytes)
      throw new Error(`it made more than ${maxFiles} files or ${Math.round(maxBytes / 1e9)} GB`);
    if (at % AT_ONCE === AT_ONCE - 1) await nextTurn();
  }
  return { files: paths.length, bytes, links };
}
