import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** More than the floor below which nothing is started, so that a freed disk is one. */
const SIZE = "300m";
const CHUNK = Buffer.alloc(1 << 20, "x");

/** Runs a command where it may mount what nobody else sees: as root, or as a user who is root in a namespace of their own. */
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

/** Inside `withMounts` only. */
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
