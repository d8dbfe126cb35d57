import { closeSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";

/** As much as the kernel reads. */
const LINE_BYTES = 256;

/**
 * The programs that a script is run by: `#!/usr/bin/env -S node --x` needs /usr/bin/env and node. Null for what is no
 * script, and for one that cannot be read.
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

/** The start of a file; empty when it cannot be read. */
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
