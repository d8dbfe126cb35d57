import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import { withReal } from "../with-real.ts";

/** The home directory that the environment names, and the one that the system knows. */
export function knownHomes(): readonly string[] {
  return withReal([ask(homedir), ask(() => userInfo().homedir)].filter((home) => isAbsolute(home)));
}

/** A user without an entry (as in some containers) has no home there. */
function ask(home: () => string): string {
  try {
    return home();
  } catch {
    return "";
  }
}
