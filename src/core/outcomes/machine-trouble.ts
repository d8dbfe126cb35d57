import { ForgeError, MachineError, RemoteError } from "../text/errors.ts";

/** What a parked task waits for: the git remote or the forge, this machine, or space on its disk. */
export type MachineTrouble = "remote" | "machine" | "disk";

const DISK_FULL_CODES: readonly unknown[] = ["ENOSPC", "EDQUOT"];
/** Trouble of the machine, whichever file or process it concerns. */
const MACHINE_CODES: readonly unknown[] = ["EROFS", "EIO", "EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "ERR_SQLITE_ERROR"];
/** Trouble of the machine only in Nightshift's own directories. Elsewhere an agent or the project can be the cause. */
const FILE_CODES: readonly unknown[] = ["EACCES", "EPERM", "ENOENT", "ENOTDIR", "EISDIR", "ELOOP"];

const DISK_FULL_WORDS = /no space left on device|disk quota exceeded|disk\b.* is full/i;
/** Git and other programs end their error messages with these words. */
const MACHINE_WORDS =
  /: (?:Read-only file system|Input\/output error|Too many open files(?: in system)?|Cannot allocate memory)$/m;
const PERMISSION_WORDS = /permission denied|insufficient permission/i;

/**
 * Recognizes errors that are caused by this machine or the network, so that no agent can be blamed for them. `home` is
 * Nightshift's home directory. Returns null for all other errors.
 */
export function findMachineTrouble(error: unknown, home: string): MachineTrouble | null {
  if (error instanceof RemoteError)
    return error.trouble === "unreachable" || error.trouble === "missing" ? "remote" : null;
  if (error instanceof ForgeError) return error.trouble === "unreachable" ? "remote" : null;
  if (!(error instanceof Error)) return null;
  const code = "code" in error ? error.code : null;
  if (DISK_FULL_CODES.includes(code) || DISK_FULL_WORDS.test(error.message)) return "disk";
  if (MACHINE_CODES.includes(code) || MACHINE_WORDS.test(error.message)) return "machine";
  if (isFileTrouble(error, code) && isOwnPath(pathOf(error), home)) return "machine";
  if (error.message.split("\n").some((line) => isDeniedOwnPath(line, home))) return "machine";
  return findMachineTrouble(error.cause, home) ?? (error instanceof MachineError ? "machine" : null);
}

/** `mkdir` reports a file in place of a directory as EEXIST. */
function isFileTrouble(error: Error, code: unknown): boolean {
  return FILE_CODES.includes(code) || (code === "EEXIST" && "syscall" in error && error.syscall === "mkdir");
}

/** For a new symbolic link, `path` is its content, and `dest` the place where it should be. */
function pathOf(error: Error): unknown {
  if ("syscall" in error && error.syscall === "symlink" && "dest" in error) return error.dest;
  return "path" in error ? error.path : null;
}

/** Git names the file in its message. A file may belong to another user, for example after root restored a copy of the home. */
function isDeniedOwnPath(line: string, home: string): boolean {
  const start = line.indexOf(`${home}/`);
  if (start === -1 || !PERMISSION_WORDS.test(line)) return false;
  const [rest = ""] = /^[^'":\s]*/.exec(line.slice(start + home.length)) ?? [];
  return isOwnPath(home + rest, home);
}

/** True for paths in Nightshift's home that no agent can change. */
function isOwnPath(path: unknown, home: string): boolean {
  if (typeof path !== "string" || !`${path}/`.startsWith(`${home}/`)) return false;
  const [top, , part, ...rest] = path.slice(home.length + 1).split("/");
  switch (top) {
    case "workspaces":
      return part === undefined || ENGINE_DIRECTORIES.includes(part);
    case "homes":
      return rest.length === 0;
    case "runs":
      return rest.length === 0 || !AGENT_DIRECTORIES.includes(part);
    default:
      return true;
  }
}

/** The engine's git directory of a task, and its name while it is being created. */
const ENGINE_DIRECTORIES: readonly unknown[] = ["engine.git", ".engine"];
/** The directories of a run that its agent can write to. */
const AGENT_DIRECTORIES: readonly unknown[] = ["report", "tmp", "home"];
