import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import path from "node:path";

/** Programs and files that the tests use, and the Debian package of each. */
const NEEDS: readonly Need[] = [
  { name: "git", package: "git" },
  ...(process.platform === "linux"
    ? [
        { name: "bwrap", package: "bubblewrap" },
        { name: "setpriv", package: "util-linux" },
        { name: "unshare", package: "util-linux" },
        // Staged tasks use the real CLI with a forge on this machine.
        { name: "gh", package: "gh", isOptional: true },
      ]
    : []),
  // The system call numbers are compared with these headers.
  {
    name: "/usr/aarch64-linux-gnu/include/asm-generic/unistd.h",
    package: "linux-libc-dev-arm64-cross",
    isOptional: true,
  },
  process.arch === "x64"
    ? { name: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", package: "linux-libc-dev", isOptional: true }
    : {
        name: "/usr/x86_64-linux-gnu/include/asm/unistd_64.h",
        package: "linux-libc-dev-amd64-cross",
        isOptional: true,
      },
];

/** The tests of the web page need a browser as well. */
const PAGE_NEEDS: readonly Need[] = [{ name: "chromium", package: "chromium" }];

export interface Need {
  /** A program on PATH, or the absolute path of a file. */
  readonly name: string;
  readonly package: string;
  /** Tests that need it are skipped without it. */
  readonly isOptional?: boolean;
}

export interface Machine {
  readonly has: (name: string) => boolean;
  readonly isDebian: boolean;
  readonly isRoot: boolean;
}

export type Remedy =
  | { readonly kind: "nothing" }
  | { readonly kind: "install"; readonly packages: readonly string[]; readonly isOptional: boolean }
  | { readonly kind: "stop"; readonly message: string };

/** Returns what must be done so that the tests can run on this machine. */
export function findRemedy(needs: readonly Need[], machine: Machine): Remedy {
  const missing = needs.filter(({ name }) => !machine.has(name));
  const required = missing.filter(({ isOptional }) => isOptional !== true);
  if (missing.length === 0) return { kind: "nothing" };
  if (machine.isDebian && machine.isRoot)
    return { kind: "install", packages: packagesOf(missing), isOptional: required.length === 0 };
  if (required.length === 0) return { kind: "nothing" };

  const names = required.map(({ name }) => name).join(", ");
  const command = machine.isDebian ? `sudo apt-get install -y ${packagesOf(required).join(" ")}` : null;
  return {
    kind: "stop",
    message: `The tests need ${names}, which this machine does not have. ${
      command === null ? "Install it with the system's package manager" : `Run: ${command}`
    }`,
  };
}

function packagesOf(needs: readonly Need[]): readonly string[] {
  return [...new Set(needs.map((need) => need.package))];
}

function isThere(name: string): boolean {
  return path.isAbsolute(name) ? existsSync(name) : isOnPath(name);
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
  // Try to install first, because updating the package lists takes seconds.
  return aptGet("install", ...packages) || (aptGet("update") && aptGet("install", ...packages));
}

function aptGet(...words: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status } = spawnSync("apt-get", ["-y", "--no-install-recommends", ...words], { stdio: "inherit", env });
  return status === 0;
}

/** `--demo`: installs what the demo can optionally use. The demo reports what is missing. `--page`: also a browser. */
function main(isDemo: boolean, needs: readonly Need[]): number {
  const isDebian = existsSync("/etc/debian_version") && isOnPath("apt-get");
  const remedy = findRemedy(isDemo ? needs.filter(({ isOptional }) => isOptional !== true) : needs, {
    has: isThere,
    isDebian,
    isRoot: process.getuid?.() === 0,
  });
  switch (remedy.kind) {
    case "nothing":
      return 0;
    case "stop":
      if (isDemo) return 0;
      console.error(remedy.message);
      return 1;
    case "install":
      if (install(remedy.packages)) return 0;
      console.error(`apt-get could not install ${remedy.packages.join(", ")}.`);
      return remedy.isOptional || isDemo ? 0 : 1;
  }
}

if (import.meta.main) {
  const needs = process.argv.includes("--page") ? [...NEEDS, ...PAGE_NEEDS] : NEEDS;
  process.exitCode = main(process.argv.includes("--demo"), needs);
}
