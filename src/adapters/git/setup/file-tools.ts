import { execFile, type ExecFileException } from "node:child_process";
import { existsSync } from "node:fs";
import { MachineError } from "../../../core/text/errors.ts";

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Fixed, because a daemon that runs as root does not search PATH. */
const PROGRAM_DIRS = ["/usr/bin", "/bin"];

/**
 * Copies a file, link or folder to a path that does not exist. The copies are independent of the originals; on file systems that
 * can share unchanged blocks, they take no space. Modes, times and hard links within the folder are kept, and no link is followed.
 */
export async function copyTree(from: string, to: string): Promise<void> {
  const { code, stderr } = await run("cp", ["-a", "--", from, to]);
  if (code !== 0) throw new Error(`it cannot be copied: ${stderr.trim().split("\n")[0] ?? ""}`);
}

/** Makes this process the owner of files that a run's user made. */
export async function takeOwnership(dir: string): Promise<void> {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid !== 0) return;
  const { code, stderr } = await run("chown", ["-hRP", `${uid}:${gid}`, "--", dir]);
  if (code !== 0) throw new Error(`its owner cannot be changed: ${stderr.trim().split("\n")[0] ?? ""}`);
}

/** Returns the files below a folder that contain one of the texts, as paths with one character per byte. Follows no links. */
export async function findFilesWith(dir: string, texts: readonly string[]): Promise<readonly string[]> {
  const patterns = texts.flatMap((text) => ["-e", text]);
  const { code, stdout, stderr } = await run("grep", ["-rlaF", "--null", ...patterns, "--", dir]);
  // 1: no file contains them.
  if (code !== 0 && code !== 1) throw new Error(`it cannot be searched: ${stderr.trim().split("\n")[0] ?? ""}`);
  return stdout.split("\0").filter((path) => path !== "");
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(program: string, args: readonly string[]): Promise<Ended> {
  const path = PROGRAM_DIRS.map((dir) => `${dir}/${program}`).find((each) => existsSync(each));
  if (path === undefined) throw new MachineError(`${program} is not installed.`, "Install the system's basic tools.");
  return await new Promise((resolve, reject) => {
    const options = { env: { LC_ALL: "C" }, encoding: "latin1", maxBuffer: MAX_OUTPUT_BYTES } as const;
    execFile(path, args, options, (error: ExecFileException | null, stdout, stderr) => {
      if (error !== null && typeof error.code !== "number") reject(error);
      else resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });
}
