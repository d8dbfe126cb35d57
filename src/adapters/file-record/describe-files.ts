import { lstatSync, opendirSync } from "node:fs";
import { describeDirectory, type SizedFile } from "../../core/prompt/describe-directory.ts";
import { pathBytes, showPath } from "./entry.ts";

export interface DescribeLimits {
  readonly maxEntries: number;
  readonly maxMs: number;
}

const LIMITS: DescribeLimits = { maxEntries: 100_000, maxMs: 5_000 };

/** They would hide the files of the project in its map. */
const OMITTED: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Lists the directories level by level, so that the top of the tree is known if there is no time for the rest. */
export function describeFiles(dir: string, limits = LIMITS): string | null {
  const files: SizedFile[] = [];
  const directories = [""];
  const end = performance.now() + limits.maxMs;
  let entries = 0;
  for (const directory of directories) {
    try {
      using opened = opendirSync(pathBytes(dir, directory), { encoding: "latin1" });
      for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
        if (++entries > limits.maxEntries || performance.now() > end) return describeDirectory(files, false);
        const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
        if (!entry.isDirectory()) files.push({ path: showPath(path), bytes: sizeOf(dir, path) });
        else if (!OMITTED.has(entry.name)) directories.push(path);
      }
    } catch {
      // A directory below may be unreadable, or disappear meanwhile.
      if (directory === "") return null;
    }
  }
  return describeDirectory(files);
}

function sizeOf(dir: string, path: string): number {
  return lstatSync(pathBytes(dir, path), { throwIfNoEntry: false })?.size ?? 0;
}
