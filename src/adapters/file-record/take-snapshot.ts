import { pathBytes } from "./entry.ts";
import type { KeptSnapshot } from "./entry.ts";
import { hashFile } from "./hash-file.ts";
import { walk } from "./walk.ts";
import type { Unhashed } from "./walk.ts";

const LARGEST_FILE = 2 ** 30;
/** Of all files together: a directory full of empty space must not keep us busy for hours. */
const MOST_BYTES = 16 * 2 ** 30;
/** The clocks of file systems are coarse, and those of other machines differ: what changed this shortly before is read again. */
const YOUNG_MS = 2000;

/** Reads only files that are not as `since` knows them. */
export function takeSnapshot(dir: string, since: KeptSnapshot | null): KeptSnapshot {
  const at = Date.now();
  const { files, unread } = walk(dir);
  const known = new Map(since?.entries.map((entry) => [entry.path, entry]));
  const isOld = ({ ctimeMs }: Unhashed): boolean => since !== null && ctimeMs < since.at - YOUNG_MS;
  let left = MOST_BYTES;
  let hashed = 0;
  const entries = files.map((file) => {
    const before = known.get(file.path);
    if (before?.key === file.key && isOld(file)) return { ...file, sha256: before.sha256 };
    if (file.kind === "file" && (file.size > LARGEST_FILE || file.size > left)) return { ...file, sha256: null };
    left -= file.size;
    hashed += 1;
    return { ...file, sha256: hashFile(pathBytes(dir, file.path), file) };
  });
  return { at, entries, unread, hashed };
}
