import { statSync } from "node:fs";
import { UserError } from "../../../core/text/errors.ts";
import type { Identity } from "../identity.ts";

/**
 * What root starts runs as a user of its own, to whom everything is closed that is root's alone: a checkout of Nightshift made
 * with `umask 077`, Node in it. Said before anything starts; inside, each would fail in another way. Throws a UserError of
 * kind "unavailable".
 */
export function requireReadable(paths: readonly string[], identity: Identity | null): void {
  if (identity === null) return;
  const closed = [...new Set(paths)].filter((path) => isClosed(path, identity));
  if (closed.length === 0) return;
  throw new UserError(
    "unavailable",
    `Root's runs have a user of their own, who may not read ${closed.join(", ")}: ${closed.length === 1 ? "it was" : "they were"} made with a umask that closes files to others.`,
    `Run: chmod -R o+rX ${closed.map(quote).join(" ")} (and start the daemon with \`umask 022\`).`,
  );
}

/** Regular files and directories; what is not there is passed over, as when it is mounted. */
function isClosed(path: string, { uid }: Identity): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.uid === uid) return false;
  if (found.isDirectory()) return (found.mode & 0o5) !== 0o5;
  // A program is nothing to whoever can only read it.
  const needed = (found.mode & 0o100) === 0 ? 0o4 : 0o5;
  return found.isFile() && (found.mode & needed) !== needed;
}

function quote(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
