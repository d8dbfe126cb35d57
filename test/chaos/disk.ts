import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Above the minimum free space for starting runs, so that work continues after the disk is freed. */
const SIZE = "300m";
const CHUNK = Buffer.alloc(1 << 20, "x");

/** Runs a command in a private mount namespace, as root or as root of a user namespace. */
export function withMounts(command: readonly string[]): readonly [string, ...string[]] {
  return ["unshare", process.getuid?.() === 0 ? "-m" : "-Urm", "--", ...command];
}

export function canMount(): boolean {
  const [program, ...args] = withMounts(["mount", "-t", "tmpfs", "tmpfs", tmpdir()]);
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export interface SmallDisk {
  fill(): void;
  free(): void;
}

/** Works only inside `withMounts`. */
export function mountSmallDisk(path: string): SmallDisk {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE},mode=700`, "tmpfs", path]);
  const ballast = join(path, "ballast");
  return {
    fill() {
      for (let size = CHUNK.length; size > 0;) size = append(ballast, size) ? size : size >> 1;
    },
    free: () => rmSync(ballast, { force: true }),
  };
}

function append(file: string, size: number): boolean {
  try {
    appendFileSync(file, CHUNK.subarray(0, size));
    return true;
  } catch {
    return false;
  }
}
