import type { DiffStats, FileStat } from "../../../ports/workspace/diff-stats.ts";
import { git } from "../git.ts";

export const NO_CHANGE: DiffStats = { files: [], insertions: 0, deletions: 0 };

const DIFF = ["--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"];

/** Arguments to compare two commits that nothing in a checkout can influence. */
export function diffArgs(format: readonly string[], from: string, to: string): string[] {
  return ["diff-tree", "-r", ...format, ...DIFF, from, to];
}

export async function readStats(gitDir: string, from: string, to: string): Promise<DiffStats> {
  const output = await git({ gitDir, args: diffArgs(["-z", "--raw", "--numstat"], from, to) });
  return parseStats(output.toString());
}

/** Parses `--raw` (what happened to each file) followed by `--numstat` (how many lines), with NUL-terminated fields. */
export function parseStats(output: string): DiffStats {
  const fields = output.split("\0");
  const changes = new Map<string, FileStat["change"]>();
  let at = 0;
  for (; fields[at]?.startsWith(":"); at += 2) {
    const status = fields[at]?.at(-1);
    changes.set(fields[at + 1] ?? "", status === "A" ? "created" : status === "D" ? "deleted" : "modified");
  }
  const files: FileStat[] = [];
  for (const line of fields.slice(at)) {
    const found = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(line);
    if (!found) continue;
    const [, added = "", removed = "", path = ""] = found;
    files.push({
      path,
      change: changes.get(path) ?? "modified",
      insertions: added === "-" ? 0 : Number(added),
      deletions: removed === "-" ? 0 : Number(removed),
      binary: added === "-",
    });
  }
  return {
    files,
    insertions: files.reduce((sum, file) => sum + file.insertions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
  };
}
