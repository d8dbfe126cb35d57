import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import path from "node:path";

/** Programs that the tests start, and the Debian package that holds each. */
const PROGRAMS: readonly Program[] = [{ name: "git", package: "git" }];

export interface Program {
  readonly name: string;
  readonly package: string;
}

export interface Machine {
  readonly has: (program: string) => boolean;
  readonly isDebian: boolean;
  readonly isRoot: boolean;
}

export type Remedy =
  | { readonly kind: "nothing" }
  | { readonly kind: "install"; readonly packages: readonly string[] }
  | { readonly kind: "stop"; readonly message: string };

/** What is to be done so that the tests can run on this machine. */
export function findRemedy(programs: readonly Program[], machine: Machine): Remedy {
  const missing = programs.filter(({ name }) => !machine.has(name));
  if (missing.length === 0) return { kind: "nothing" };

  const packages = [...new Set(missing.map((program) => program.package))];
  if (machine.isDebian && machine.isRoot) return { kind: "install", packages };

  const names = missing.map(({ name }) => name).join(", ");
  const command = machine.isDebian ? `sudo apt-get install -y ${packages.join(" ")}` : null;
  return {
    kind: "stop",
    message: `The tests need ${names}, which this machine does not have. ${
      command === null ? "Install it with the system's package manager" : `Run: ${command}`
    }`,
  };
}

function isOnPath(program: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "");
  return folders.some((folder) => isProgram(path.join(folder, program)));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function install(packages: readonly string[]): boolean {
  // Installing comes first: where the package lists are there, updating them would cost every run a few seconds.
  return aptGet("install", ...packages) || (aptGet("update") && aptGet("install", ...packages));
}

function aptGet(...words: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status } = spawnSync("apt-get", ["-y", "--no-install-recommends", ...words], { stdio: "inherit", env });
  return status === 0;
}

function main(): number {
  const isDebian = existsSync("/etc/debian_version") && isOnPath("apt-get");
  const remedy = findRemedy(PROGRAMS, { has: isOnPath, isDebian, isRoot: process.getuid?.() === 0 });
  switch (remedy.kind) {
    case "nothing":
      return 0;
    case "stop":
      console.error(remedy.message);
      return 1;
    case "install":
      if (install(remedy.packages)) return 0;
      console.error(`apt-get could not install ${remedy.packages.join(", ")}, which the tests need.`);
      return 1;
  }
}

if (import.meta.main) process.exitCode = main();
