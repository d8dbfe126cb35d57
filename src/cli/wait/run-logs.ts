import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { basename, join } from "node:path";

const TAIL_BYTES = 4_096;

/** The logs of set-up and checks in the directory of a run, which have the complete output. */
export function listLogs(dir: string): readonly string[] {
  const setups = [join(dir, "setup.log"), join(dir, "setup", "setup.log")];
  const checks = join(dir, "checks");
  return [
    ...setups.filter((file) => existsSync(file)),
    ...(existsSync(checks)
      ? readdirSync(checks)
          .toSorted()
          .map((name) => join(checks, name))
      : []),
  ];
}

/** The set-up command or check that has printed last, and the end of its output. Null if none has started. */
export function readNewestLog(dir: string): { readonly name: string; readonly tail: string } | null {
  try {
    const [newest] = listLogs(dir)
      .map((file) => ({ file, at: statSync(file).mtimeMs }))
      .toSorted((a, b) => b.at - a.at);
    return newest === undefined ? null : { name: basename(newest.file, ".log"), tail: readTail(newest.file) };
  } catch {
    // The run may be removed at any time.
    return null;
  }
}

/** The end of a log. Null if it cannot be read, for example because the command has not printed anything yet. */
export function readLogTail(file: string): string | null {
  try {
    return readTail(file);
  } catch {
    return null;
  }
}

function readTail(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const length = readSync(descriptor, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString("utf8", 0, length);
  } finally {
    closeSync(descriptor);
  }
}
