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

test("a refused program says what may be used instead, to whoever reads errors", () => {
  const { status, stdout, stderr } = call(make(["git", "sbt compile"]), "curl");
  expect({ status, stdout, stderr }).toEqual({
    status: 127,
    stdout: "",
    stderr:
      'nightshift: "curl" is not available here. Programs you may use: git, sbt compile. If the task needs it, report needs_info and say why.\n',
  });
});

test("there are the programs of the host, without those that are listed and those with strange names", () => {
  expect(readdirSync(make(["git --version", "/opt/x/docker"])).toSorted()).toEqual([".refused", "curl", "g++"]);
  expect(call(make([]), "git").stderr).toContain("There are no programs you may use.");
});

test("a list cannot put words into the script", () => {
  const { status, stderr } = call(make(["it's'; touch pwned; '", "%s"]), "curl");
  expect(status).toBe(127);
  expect(stderr).toContain("it's'; touch pwned; ', %s.");
});

test("it is made once, and anew when the host or the list changes", () => {
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

test("whoever runs inside may read it, whatever the mask outside", () => {
  const before = process.umask(0o077);
  try {
    const folder = make(["git"]);
    expect(statSync(folder).mode & 0o777).toBe(0o755);
    expect(statSync(join(folder, "curl")).mode & 0o777).toBe(0o755);
  } finally {
    process.umask(before);
  }
});

test("many that make it at once end up with one whole directory", async () => {
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
