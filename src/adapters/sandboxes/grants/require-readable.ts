import { statSync } from "node:fs";
import { shellWord } from "../../../core/change/related-command.ts";
import { UserError } from "../../../core/text/errors.ts";
import type { Identity } from "../identity.ts";

/**
 * Commands started by root run as a separate user, who cannot read files that belong to root alone, such as a Nightshift
 * checkout made with `umask 077`. This checks it before anything starts, because inside each file would fail differently.
 * Throws a UserError of kind "unavailable".
 */
export function requireReadable(paths: readonly string[], identity: Identity | null): void {
  if (identity === null) return;
  const closed = [...new Set(paths)].filter((path) => isClosed(path, identity));
  if (closed.length === 0) return;
  throw new UserError(
    "unavailable",
    `Nightshift runs as root, so its commands run as a separate user, who cannot read ${closed.join(", ")}.`,
    `Run: chmod -R o+rX ${closed.map(shellWord).join(" ")} (and start the daemon with \`umask 022\`).`,
  );
}

/** Checks regular files and directories. Missing paths are ignored, as they are when mounting. */
function isClosed(path: string, { uid }: Identity): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.uid === uid) return false;
  if (found.isDirectory()) return (found.mode & 0o5) !== 0o5;
  // A program must be executable, too.
  const needed = (found.mode & 0o100) === 0 ? 0o4 : 0o5;
  return found.isFile() && (found.mode & needed) !== needed;
}
