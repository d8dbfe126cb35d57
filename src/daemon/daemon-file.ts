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

/** Writes the file again if it was lost or damaged. Without it, no command would find the running daemon, not even `stop`. */
export function repairDaemonFile(file: string, value: DaemonFile): void {
  if (readPid(file) === null) writeDaemonFile(file, value);
}

function readPid(file: string): number | null {
  try {
    const found: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof found === "object" && found !== null && "pid" in found && typeof found.pid === "number"
      ? found.pid
      : null;
  } catch {
    return null;
  }
}

/** Removes the file if it belongs to `pid`. A slow shutdown must not remove the file of a newer daemon. */
export function removeDaemonFile(file: string, pid: number): void {
  if (readPid(file) === pid) rmSync(file, { force: true });
}
