import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** `daemon.json`: how clients find the daemon. */
export interface DaemonFile {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
  readonly version: string;
  /** The PATH it was started with, for `doctor`. */
  readonly path: string;
}

export function writeDaemonFile(file: string, value: DaemonFile): void {
  // A fixed name, so that a leftover from a crashed daemon is overwritten.
  const temporary = `${file}.new`;
  writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}

/** Removes the file if it belongs to `pid`. A slow shutdown must not remove the file of a newer daemon. */
export function removeDaemonFile(file: string, pid: number): void {
  try {
    const found: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof found === "object" && found !== null && "pid" in found && found.pid === pid) rmSync(file);
  } catch {
    // The file is missing or was not written by a daemon.
  }
}
