import { diffLines } from "../change/diff-lines.ts";
import type { FileChange, FileSide } from "../change/file-change.ts";

/** Does not depend on line numbers, whitespace or the order of the files. Null if there are no changes. */
export function patchFingerprint(changes: readonly FileChange[], digest: (text: string) => string): string | null {
  if (changes.length === 0) return null;
  const parts = changes
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .map(({ path, before, after }) => {
      const [old, now] = [linesOf(before), linesOf(after)];
      const { removed, added } = diffLines(old, now);
      return [path, kindOf(before), kindOf(after), removed.map((at) => old[at]), added.map((at) => now[at])];
    });
  return digest(JSON.stringify(parts));
}

function kindOf(side: FileSide | null): string | null {
  return side?.kind ?? null;
}

/** Decodes as latin1, so that binary files can be compared too. Files that were not read are compared by size. */
function linesOf(side: FileSide | null): readonly string[] {
  if (side === null) return [];
  if (side.content === null) return [`${side.bytes} bytes`];
  return new TextDecoder("latin1")
    .decode(side.content)
    .split("\n")
    .map((line) => line.replace(/\s+/g, ""))
    .filter((line) => line !== "");
}
