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
  // One name for all: what a daemon that died left is written over.
  const temporary = `${file}.new`;
  writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}

/** Only its own: a daemon that stops late must not hide one that has started since. */
export function removeDaemonFile(file: string, pid: number): void {
  try {
    const found: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof found === "object" && found !== null && "pid" in found && found.pid === pid) rmSync(file);
  } catch {
    // Not there, or not ours to understand: nothing to take away.
  }
}
