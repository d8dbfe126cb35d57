import { closeSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";

/** As many bytes as the kernel reads. */
const LINE_BYTES = 256;

/**
 * Returns the programs that run a script: `#!/usr/bin/env -S node --x` needs /usr/bin/env and node. Null if the file is not a
 * script or is unreadable.
 */
export function readInterpreter(path: string): readonly string[] | null {
  const line = readStart(path, LINE_BYTES).split("\n", 1)[0] ?? "";
  if (!line.startsWith("#!")) return null;
  const [program, ...words] = line.slice(2).trim().split(/\s+/);
  if (program === undefined || program === "") return null;
  if (basename(program) !== "env") return [program];
  const called = words.find((word) => !word.startsWith("-") && !word.includes("="));
  return called === undefined ? [program] : [program, called];
}

/** Reads the beginning of a file. Empty if it is unreadable. */
export function readStart(path: string, bytes: number): string {
  const buffer = Buffer.alloc(bytes);
  try {
    const file = openSync(path, "r");
    try {
      return buffer.toString("latin1", 0, readSync(file, buffer, 0, bytes, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}
