import type { FilePatch } from "./split-patch.ts";

/**
 * Finds files that were moved without a change: patches without renames show them as one deleted and one created file.
 * Returns the old path by the new one.
 */
export function findRenames(files: readonly FilePatch[]): ReadonlyMap<string, string> {
  const deleted = new Map<string, string[]>();
  for (const file of files) {
    const content = file.change === "deleted" ? contentOf(file) : null;
    if (content !== null) deleted.set(content, [...(deleted.get(content) ?? []), file.path]);
  }
  const renames = new Map<string, string>();
  if (deleted.size === 0) return renames;
  for (const file of files) {
    const content = file.change === "created" ? contentOf(file) : null;
    // With several equal files, nobody can say which one was moved.
    const [from, ...others] = content === null ? [] : (deleted.get(content) ?? []);
    if (from === undefined || others.length > 0 || content === null) continue;
    deleted.delete(content);
    renames.set(file.path, from);
  }
  return renames;
}

/** The lines of a file without their sign. Null for binary and empty files, which say nothing. */
function contentOf({ binary, text }: FilePatch): string | null {
  const start = text.search(/^@@ /m);
  if (binary || start === -1) return null;
  const [, ...lines] = text.slice(start).split("\n");
  return lines.map((line) => line.slice(1)).join("\n");
}
