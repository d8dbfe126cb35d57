import { execFile, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { refusedProgramsDir } from "./refused-programs.ts";

let dir: string;
let cacheDir: string;
let bin: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "refused-"));
  cacheDir = join(dir, "cache", "refused");
  bin = join(dir, "bin");
  mkdirSync(bin);
  for (const name of ["git", "curl", "docker", "g++", "bad name", "$(x)"]) addProgram(name);
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

function addProgram(name: string): void {
  writeFileSync(join(bin, name), "#!/bin/sh\necho real\n");
  chmodSync(join(bin, name), 0o755);
}

const make = (allowed: readonly string[]) =>
  refusedProgramsDir({ cacheDir, allowed, path: `${bin}:relative:/no/such` });
const call = (folder: string, name: string) => spawnSync(join(folder, name), ["-x"], { encoding: "utf8" });

test("refused programs: print the allowed programs to stderr", () => {
  const { status, stdout, stderr } = call(make(["git", "sbt compile"]), "curl");
  expect({ status, stdout, stderr }).toEqual({
    status: 127,
    stdout: "",
    stderr:
      'nightshift: "curl" is not available here. Allowed programs: git, sbt compile. If the task needs it, report needs_info with the reason.\n',
  });
});

test("refused programs: are those of the host without listed ones and unusual names", () => {
  expect(readdirSync(make(["git --version", "/opt/x/docker"])).toSorted()).toEqual([".refused", "curl", "g++"]);
  expect(call(make([]), "git").stderr).toContain("No programs are allowed.");
});

test("refused programs: a list cannot inject code into the script", () => {
  const { status, stderr } = call(make(["it's'; touch pwned; '", "%s"]), "curl");
  expect(status).toBe(127);
  expect(stderr).toContain("it's'; touch pwned; ', %s.");
});

test("refused programs: the directory is created once, and again when host or list change", () => {
  const first = make(["git"]);
  const { mtimeMs } = statSync(first);
  expect(make(["git"])).toBe(first);
  expect(statSync(first).mtimeMs).toBe(mtimeMs);
  expect(make(["curl"])).not.toBe(first);
  addProgram("wget");
  const later = make(["git"]);
  expect(readdirSync(later)).toContain("wget");
  expect(readdirSync(first)).not.toContain("wget");
});

test("refused programs: the user inside may read them, whatever the umask", () => {
  const before = process.umask(0o077);
  try {
    const folder = make(["git"]);
    expect(statSync(folder).mode & 0o777).toBe(0o755);
    expect(statSync(join(folder, "curl")).mode & 0o777).toBe(0o755);
  } finally {
    process.umask(before);
  }
});

test("refused programs: concurrent creation gives one complete directory", async () => {
  const module = new URL("refused-programs.ts", import.meta.url).href;
  const program = `import { refusedProgramsDir } from ${JSON.stringify(module)};
    console.log(refusedProgramsDir({ cacheDir: ${JSON.stringify(cacheDir)}, allowed: ["git"], path: ${JSON.stringify(bin)} }));`;
  const started = Array.from({ length: 4 }, () =>
    promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]),
  );
  const dirs = new Set((await Promise.all(started)).map(({ stdout }) => stdout.trim()));
  expect(dirs.size).toBe(1);
  expect(readdirSync(cacheDir)).toHaveLength(1);
  expect(readdirSync([...dirs][0] ?? "")).toEqual([".refused", "curl", "docker", "g++"]);
});
