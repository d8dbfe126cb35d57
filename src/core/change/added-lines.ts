/** Added lines of a patch, by the path of the new file. Line numbers start at 1. */
export type AddedLines = ReadonlyMap<string, ReadonlySet<number>>;

const FILE = /^\+\+\+ b\/(.+?)\t?$/;
const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Reads a unified diff as git writes it. Files with quoted names are left out. */
export function readAddedLines(patch: string): AddedLines {
  const files = new Map<string, Set<number>>();
  let added = new Set<number>();
  let [line, removedLeft, addedLeft] = [0, 0, 0];
  for (const text of patch.split("\n")) {
    if (removedLeft <= 0 && addedLeft <= 0) {
      const file = FILE.exec(text)?.[1];
      if (file !== undefined) files.set(file, (added = new Set()));
      const hunk = HUNK.exec(text);
      if (hunk !== null) [removedLeft, line, addedLeft] = [Number(hunk[1] ?? 1), Number(hunk[2]), Number(hunk[3] ?? 1)];
      continue;
    }
    if (text.startsWith("\\")) continue;
    if (text.startsWith("+")) added.add(line);
    if (!text.startsWith("+")) removedLeft -= 1;
    if (!text.startsWith("-")) {
      line += 1;
      addedLeft -= 1;
    }
  }
  return files;
}
