import type { TreeOverlay } from "../../../ports/workspace.ts";
import { git } from "../git.ts";
import { checkCommit } from "../names.ts";
import { showPath } from "../read/read-changes.ts";
import { diffArgs } from "../read/stats.ts";

/** Writes the tree of `commit` with some files as they are in another commit. Returns its id. `indexFile`: a new, temporary file. */
export async function writeOverlaidTree(
  gitDir: string,
  indexFile: string,
  commit: string,
  overlay: TreeOverlay,
): Promise<string> {
  const wanted = new Set(overlay.files);
  const args = diffArgs(["-z", "--raw", "--no-abbrev"], commit, checkCommit(overlay.commit));
  const entries = readEntries(await git({ gitDir, args })).filter(({ path }) =>
    wanted.has(showPath(Buffer.from(path, "latin1"))),
  );
  // Removals first, because a file may take the place of a directory.
  const lines = entries
    .toSorted((one, other) => Number(other.isRemoved) - Number(one.isRemoved))
    .map(({ mode, id, path }) => `${mode} ${id}\t${path}\0`);
  await git({ gitDir, indexFile, args: ["read-tree", commit] });
  const input = Buffer.from(lines.join(""), "latin1");
  await git({ gitDir, indexFile, args: ["update-index", "--replace", "-z", "--index-info"], input });
  return (await git({ gitDir, indexFile, args: ["write-tree"] })).toString().trim();
}

interface Entry {
  readonly mode: string;
  readonly id: string;
  /** One character per byte. */
  readonly path: string;
  readonly isRemoved: boolean;
}

/** `:<mode> <mode> <id> <id> <status>` and the path, each ended by NUL. Mode 0 removes a path from the index. */
function readEntries(output: Buffer): Entry[] {
  const fields = output.toString("latin1").split("\0");
  const entries: Entry[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = "", , id = ""] = (fields[at] ?? "").split(" ");
    const isRemoved = mode === "000000";
    entries.push({ mode: isRemoved ? "0" : mode, id, path: fields[at + 1] ?? "", isRemoved });
  }
  return entries;
}
