import { realpathSync } from "node:fs";

/** Returns each path as given and resolved, because another path may be compared with either. */
export function withReal(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => [path, realOr(path)]))];
}

function realOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
