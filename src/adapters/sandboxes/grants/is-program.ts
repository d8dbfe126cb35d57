import { accessSync, constants, statSync } from "node:fs";

/** Root is told that it may execute whatever somebody may; so the bits are asked, not the kernel. */
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

/** What is wrong with a file that is there and no program, as the end of a sentence; null where no file is. */
export function whyNoProgram(path: string): string | null {
  try {
    return statSync(path).isFile() ? `is not executable: chmod +x ${path}` : null;
  } catch {
    return null;
  }
}

/** Commands that root starts run as a user of their own, who owns nothing: what only its owner may run, is of no use. */
export function whyClosed(path: string): string | null {
  if (process.getuid?.() !== 0 || (statSync(path).mode & 0o001) !== 0) return null;
  return `is ${path}, which only its owner may run; \`chmod o+rx ${path}\` opens it`;
}
