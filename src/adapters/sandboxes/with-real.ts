import { realpathSync } from "node:fs";

/** The paths as they are named and as they resolve: either may be what another path is compared with. */
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
