import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import { withReal } from "../with-real.ts";

/** The home directories according to the environment and to the system's user database. */
export function knownHomes(): readonly string[] {
  return withReal([readOrEmpty(homedir), readOrEmpty(() => userInfo().homedir)].filter((home) => isAbsolute(home)));
}

/** Users without an entry (as in some containers) have no home there. */
function readOrEmpty(home: () => string): string {
  try {
    return home();
  } catch {
    return "";
  }
}
