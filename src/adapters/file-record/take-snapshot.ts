import { pathBytes } from "./entry.ts";
import type { KeptSnapshot } from "./entry.ts";
import { hashFile } from "./hash-file.ts";
import { walk } from "./walk.ts";
import type { Unhashed } from "./walk.ts";

const MAX_FILE_BYTES = 2 ** 30;
/** Limit for all files together, so that a directory of huge sparse files does not take hours. */
const MAX_TOTAL_BYTES = 16 * 2 ** 30;
/** File system clocks are coarse and clocks of other machines differ, so recently changed files are read again. */
const YOUNG_MS = 2000;

/** Reads only files that differ from `since`. */
export function takeSnapshot(dir: string, since: KeptSnapshot | null): KeptSnapshot {
  const at = Date.now();
  const { files, unread } = walk(dir);
  const known = new Map(since?.entries.map((entry) => [entry.path, entry]));
  const isOld = ({ ctimeMs }: Unhashed): boolean => since !== null && ctimeMs < since.at - YOUNG_MS;
  let left = MAX_TOTAL_BYTES;
  let hashed = 0;
  const entries = files.map((file) => {
    const before = known.get(file.path);
    if (before?.key === file.key && isOld(file)) return { ...file, sha256: before.sha256 };
    if (file.kind === "file" && (file.size > MAX_FILE_BYTES || file.size > left)) return { ...file, sha256: null };
    left -= file.size;
    hashed += 1;
    return { ...file, sha256: hashFile(pathBytes(dir, file.path), file) };
  });
  return { at, entries, unread, hashed };
}
