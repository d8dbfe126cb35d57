import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** The absolute path of a directory, without links. The last parts may not exist yet. */
export function realDirectory(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(realDirectory(parent), basename(absolute));
  }
}
