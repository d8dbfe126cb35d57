import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { AGENT_PACKAGES, cacheDir, programOf } from "./ensure-agents.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "nightshift-agents-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const SCRIPT = path.join(import.meta.dirname, "ensure-agents.ts");

/** Uses a fake `npm` that installs what `script` writes to $3. */
function ensure(script: string) {
  const bin = path.join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(bin, "npm"), `#!/bin/sh\n${script}\n`);
  chmodSync(path.join(bin, "npm"), 0o755);
  const env = { ...process.env, XDG_CACHE_HOME: folder, PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  return spawnSync(process.execPath, [SCRIPT], { env, encoding: "utf8" });
}

/** Installs every program for any package. All print the same version, by default the requested one. */
function installs(version = "${8##*@}"): string {
  const names = AGENT_PACKAGES.map(({ program }) => program);
  const target = '"$3/node_modules/.bin/$name"';
  const write = `printf '#!/bin/sh\\necho %s\\n' "${version}" > ${target}; chmod +x ${target}`;
  return `mkdir -p "$3/node_modules/.bin"; for name in ${names.join(" ")}; do ${write}; done`;
}

const left = () => readdirSync(path.join(folder, "nightshift-agents"));

test("ensure-agents: installs exactly the given versions, once, outside the clone", () => {
  expect([ensure(installs()).status, ensure("exit 1").status]).toEqual([0, 0]);
  expect(left()).toEqual(AGENT_PACKAGES.map(({ program, tested }) => `${program}@${tested}`).toSorted());
  for (const agent of AGENT_PACKAGES) {
    const program = programOf(agent, path.join(folder, "nightshift-agents"));
    expect(spawnSync(program, { encoding: "utf8" }).stdout).toContain(agent.tested);
  }
});

test("ensure-agents: reports an unreachable registry and leaves nothing behind", () => {
  const { status, stderr } = ensure("echo ENOTFOUND >&2; exit 1");
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /need @anthropic-ai\/claude-code@[\d.]+, but npm could not install it\. The npm registry must be reachable/,
  );
  expect(left()).toEqual([]);
});

test("ensure-agents: rejects another version, which npm may choose for an old Node", () => {
  const { status, stderr } = ensure(installs("2.1.197"));
  expect([status, left()]).toEqual([1, []]);
  expect(stderr).toMatch(/--version` prints "2\.1\.197/);
});

test("ensure-agents: uses the user's cache directory", () => {
  expect(cacheDir({ XDG_CACHE_HOME: "/c" })).toBe("/c/nightshift-agents");
  expect(cacheDir({})).toMatch(/\.cache\/nightshift-agents$/);
});
