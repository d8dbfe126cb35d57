import { lstat, mkdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { ChangedContents, DirectoryChanges, FileRecord, RecordedDirectory } from "../../ports/file-record.ts";
import { hasCode, replaceFile } from "../process/job-files.ts";
import type { ReadParams } from "./perform.ts";

type Snapshots = Pick<FileRecord, "snapshot" | "compare">;
type ReadContents = (params: ReadParams) => Promise<ChangedContents>;

/** Written before the first snapshot, so that a directory without one is known to be missing. */
const LIST = "directories.json";

/** The record of one run: a list of directories, and a snapshot of each. */
export function createRunRecord(
  snapshots: Snapshots,
  readContents: ReadContents,
): Pick<FileRecord, "start" | "finish" | "readChanged"> {
  return {
    async start(keep, directories) {
      await mkdir(keep, { recursive: true, mode: 0o700 });
      const resolved =
        (await readKept<readonly ListedDirectory[]>(join(keep, LIST))) ?? (await Promise.all(directories.map(resolve)));
      replaceFile(join(keep, LIST), resolved);
      for (const [index, each] of resolved.entries()) await startOne(snapshots, before(keep, index), each);
    },
    async finish(keep) {
      const directories = await readKept<readonly ListedDirectory[]>(join(keep, LIST));
      if (directories === null) return null;
      const found: DirectoryChanges[] = [];
      for (const [index, { path, name, problem }] of directories.entries())
        found.push({ path, name, ...(await compareOne(snapshots, { keep, index, path, problem })) });
      return found;
    },
    async readChanged(keep, name, limits) {
      const directories = (await readKept<readonly ListedDirectory[]>(join(keep, LIST))) ?? [];
      const index = directories.findIndex((each) => each.name === name);
      const dir = directories[index]?.path;
      if (dir === undefined) return [];
      return readContents({ dir, before: before(keep, index), after: after(keep, index), ...limits });
    },
  };
}

const before = (keep: string, index: number): string => join(keep, `before-${index}`);
const after = (keep: string, index: number): string => join(keep, `after-${index}`);

interface ListedDirectory extends RecordedDirectory {
  readonly problem: string | null;
}

/** The sandbox resolves links in the same way when the run starts. */
async function resolve({ path, name }: RecordedDirectory): Promise<ListedDirectory> {
  try {
    return { path: await realpath(path), name, problem: null };
  } catch (error) {
    return { path, name, problem: describe(error) };
  }
}

async function startOne(snapshots: Snapshots, keep: string, { path, problem }: ListedDirectory): Promise<void> {
  if (problem !== null) return;
  try {
    await snapshots.snapshot({ dir: path, keep, since: null });
  } catch (error) {
    replaceFile(`${keep}.problem`, describe(error));
  }
}

interface Compared {
  readonly keep: string;
  readonly index: number;
  readonly path: string;
  readonly problem: string | null;
}

async function compareOne(
  snapshots: Snapshots,
  { keep, index, path, problem }: Compared,
): Promise<Pick<DirectoryChanges, "changes" | "problem">> {
  const [old, now] = [before(keep, index), after(keep, index)];
  const known = problem ?? (await readKept<string>(`${old}.problem`));
  if (known !== null) return { changes: null, problem: known };
  try {
    // A link in its place could make the record describe any other directory.
    if (!(await lstat(path)).isDirectory()) return { changes: null, problem: "It is no longer a directory." };
    await snapshots.snapshot({ dir: path, keep: now, since: old });
    return { changes: await snapshots.compare(old, now), problem: null };
  } catch (error) {
    return { changes: null, problem: describe(error) };
  }
}

/** Reads what `start` wrote. */
async function readKept<T>(file: string): Promise<T | null> {
  const text = await readFile(file, "utf8").catch(nullIfMissing);
  return text === null ? null : (JSON.parse(text) as T);
}

function nullIfMissing(error: unknown): null {
  if (hasCode(error, "ENOENT")) return null;
  throw error;
}

function describe(error: unknown): string {
  if (hasCode(error, "ENOENT")) return "It does not exist.";
  return error instanceof Error ? error.message : String(error);
}
