import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, isAbsolute } from "node:path";
import { homePaths } from "./paths.ts";

/** Content of `path.json`: the PATH of the person's shell, for a daemon that the system starts with a minimal PATH. */
export interface RecordedPath {
  readonly path: string;
  /** `caller` means that the shell gave no PATH, so the PATH of the recording command was used. */
  readonly from: "shell" | "caller";
  readonly shell: string | null;
  /** Why the shell gave no PATH, or null. */
  readonly problem: string | null;
  readonly recordedAt: number;
}

/** Returns null if there is no readable record. */
export function readRecordedPath(home: string): RecordedPath | null {
  try {
    return parse(JSON.parse(readFileSync(homePaths(home).path, "utf8")));
  } catch {
    return null;
  }
}

function parse(value: unknown): RecordedPath | null {
  if (typeof value !== "object" || value === null) return null;
  const { path, from, shell, problem, recorded_at: at } = value as Readonly<Record<string, unknown>>;
  const recordedAt = Date.parse(String(at));
  if (typeof path !== "string" || Number.isNaN(recordedAt)) return null;
  return {
    path: listFolders(path).join(delimiter),
    from: from === "shell" ? "shell" : "caller",
    shell: typeof shell === "string" ? shell : null,
    problem: typeof problem === "string" ? problem : null,
    recordedAt,
  };
}

export function writeRecordedPath(home: string, { path, from, shell, problem, recordedAt }: RecordedPath): void {
  const file = homePaths(home).path;
  const temporary = `${file}.${process.pid}.new`;
  const value = { path, from, shell, problem, recorded_at: new Date(recordedAt).toISOString() };
  try {
    writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Returns each folder once, without relative ones, which would find different programs in each directory. */
export function listFolders(path: string): readonly string[] {
  return [...new Set(path.split(delimiter).filter((folder) => isAbsolute(folder)))];
}

/** Appends the folders of `more` that `own` lacks, so that programs found in `own` keep precedence. */
export function mergePaths(own: string, more: string): string {
  const known = new Set(own.split(delimiter));
  return [own, ...listFolders(more).filter((folder) => !known.has(folder))]
    .filter((part) => part !== "")
    .join(delimiter);
}
