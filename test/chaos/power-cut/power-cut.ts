import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("shim.c", import.meta.url));

/** Forgets what the programs of a directory tree wrote and did not flush. See shim.c. */
export interface PowerCut {
  /** For every program that writes to the tree. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Puts the durable content back, except for a share of the files, which the system happened to write in time. Returns one
   * line per file that lost something. Nothing may use the tree meanwhile.
   */
  restore(survivingPercent: number, seed: number): readonly string[];
}

export function canCutPower(): boolean {
  return process.platform === "linux" && spawnSync("cc", ["--version"]).status === 0;
}

/** Compiles the shim into `dir`, which must not be inside of `root`. */
export function preparePowerCut(root: string, dir: string): PowerCut {
  const [library, program, copies] = ["shim.so", "shim", "copies"].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(copies, { recursive: true });
  const startBoot = (): void => writeFileSync(`${copies}.boot-id`, randomUUID());
  startBoot();
  execFileSync("cc", ["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"]);
  execFileSync("cc", ["-O1", "-Wall", "-Werror", "-o", program, SOURCE, "-ldl"]);
  return {
    env: {
      LD_PRELOAD: library,
      POWER_CUT_ROOT: root,
      POWER_CUT_COPIES: copies,
      // Writes of io_uring would not be seen.
      UV_USE_IO_URING: "0",
    },
    restore(survivingPercent, seed) {
      const args = ["restore", root, copies, String(survivingPercent), String(seed)];
      const lost = execFileSync(program, args, { encoding: "utf8" }).split("\n");
      // What is on the disk now is durable.
      rmSync(copies, { recursive: true });
      mkdirSync(copies);
      startBoot();
      return lost.filter((line) => line !== "");
    },
  };
}
