import { MachineError } from "./errors.ts";

const REASONS: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
  EROFS: ["its disk is read-only", "Make it writable, or set NIGHTSHIFT_HOME to a folder that you can write to."],
  ENOSPC: ["its disk is full", "Free some space and try again."],
  EDQUOT: ["your disk quota is used up", "Free some space and try again."],
  EACCES: ["you may not write there", "Correct its owner and mode, or set NIGHTSHIFT_HOME to a folder of your own."],
  EPERM: ["you may not write there", "Correct its owner and mode, or set NIGHTSHIFT_HOME to a folder of your own."],
  EIO: ["its disk failed", "Check the disk."],
};

/** Explains an error of the file system that is the machine's and not a bug. Null for all other errors. */
export function explainFileError(error: unknown): MachineError | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null;
  const code = isReadOnlyMkdir(error) ? "EROFS" : error.code;
  const reason = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  if (reason === undefined) return null;
  const path = "path" in error && typeof error.path === "string" ? error.path : "Nightshift's home";
  return new MachineError(`${path} cannot be used: ${reason[0]}.`, reason[1]);
}

/** On a read-only disk, Node's recursive mkdir reports that the folder does not exist. */
function isReadOnlyMkdir(error: Error): boolean {
  return "code" in error && error.code === "ENOENT" && "syscall" in error && error.syscall === "mkdir";
}
