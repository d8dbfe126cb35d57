/** Replaces the files of a directory by the directory (`src/old/`) where `paths` contains all of its files. Sorted. */
export function summarizePaths(paths: Iterable<string>, all: Iterable<string>): readonly string[] {
  const listed = new Set(paths);
  const withOthers = new Set<string>();
  for (const path of all) if (!listed.has(path)) for (const folder of parentsOf(path)) withOthers.add(folder);
  const summarized = [...listed].map((path) => parentsOf(path).find((folder) => !withOthers.has(folder)) ?? path);
  return [...new Set(summarized)].toSorted();
}

/** `a/b/c.ts`: `a/`, `a/b/`. */
function parentsOf(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => `${parts.slice(0, at + 1).join("/")}/`);
}
