import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, isAbsolute } from "node:path";
import { homePaths } from "./paths.ts";

/** `path.json`: where the person's own shell finds programs, for a daemon that the system starts with next to no PATH. */
export interface RecordedPath {
  readonly path: string;
  /** `caller`: the shell did not say, so it is what the command that recorded it had. */
  readonly from: "shell" | "caller";
  readonly shell: string | null;
  /** Why the shell did not say; null when it did. */
  readonly problem: string | null;
  readonly recordedAt: number;
}

/** Null where there is none that can be read. */
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

/** Each once. A relative folder would find other programs in each directory, so it is left out. */
export function listFolders(path: string): readonly string[] {
  return [...new Set(path.split(delimiter).filter((folder) => isAbsolute(folder)))];
}

/** The first, and after it what only the second has: what was found before is found as before. */
export function unitePaths(own: string, more: string): string {
  const known = new Set(own.split(delimiter));
  return [own, ...listFolders(more).filter((folder) => !known.has(folder))]
    .filter((part) => part !== "")
    .join(delimiter);
}
