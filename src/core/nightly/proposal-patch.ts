import { diffLines } from "../change/diff-lines.ts";
import type { FileChange, FileSide } from "../change/file-change.ts";

/**
 * The same change has the same fingerprint, wherever in its files it stands, however it is indented, and in whichever order
 * the files come. Null for no change at all.
 */
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

/** Byte for byte as characters, so that pictures differ too. What was not read is told apart by its size. */
function linesOf(side: FileSide | null): readonly string[] {
  if (side === null) return [];
  if (side.content === null) return [`${side.bytes} bytes`];
  return new TextDecoder("latin1")
    .decode(side.content)
    .split("\n")
    .map((line) => line.replace(/\s+/g, ""))
    .filter((line) => line !== "");
}
