import { accessSync, constants, statSync } from "node:fs";
import { shellWord } from "../../../core/change/related-command.ts";

/** Checks the mode bits, because for root the kernel reports a file as executable if anyone may execute it. */
export function isProgram(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined || !found.isFile() || (found.mode & 0o111) === 0) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Explains why an existing file is not a program, as the end of a sentence. Null if there is no file. */
export function explainNotExecutable(path: string): string | null {
  try {
    return statSync(path).isFile() ? `is not executable: chmod +x ${shellWord(path)}` : null;
  } catch {
    return null;
  }
}

/** Commands started by root run as another user, who owns nothing, so a program that only its owner may run is useless. */
export function explainClosedProgram(path: string): string | null {
  if (process.getuid?.() !== 0 || (statSync(path).mode & 0o001) !== 0) return null;
  return `is ${path}, which only its owner may run; allow it with \`chmod o+rx ${shellWord(path)}\``;
}
