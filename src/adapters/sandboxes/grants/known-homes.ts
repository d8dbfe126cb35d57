import { realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";

/** The home directories according to the environment and to the system's user database. */
export function knownHomes(): readonly string[] {
  // Users without an entry (as in some containers) have no home there.
  const homes = [homedir, () => userInfo().homedir].map((home) => tryOr(home, ""));
  return withReal(homes.filter((home) => isAbsolute(home)));
}

/** Returns each path as given and resolved, because another path may be compared with either. */
export function withReal(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => [path, tryOr(() => realpathSync.native(path), path)]))];
}

function tryOr(read: () => string, fallback: string): string {
  try {
    return read();
  } catch {
    return fallback;
  }
}
