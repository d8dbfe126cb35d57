import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { AGENTS, cacheDir, programOf } from "./ensure-agents.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "nightshift-agents-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const SCRIPT = path.join(import.meta.dirname, "ensure-agents.ts");

/** With an `npm` of our own, which installs what `script` writes into $3. */
function ensure(script: string) {
  const bin = path.join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(bin, "npm"), `#!/bin/sh\n${script}\n`);
  chmodSync(path.join(bin, "npm"), 0o755);
  const env = { ...process.env, XDG_CACHE_HOME: folder, PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  return spawnSync(process.execPath, [SCRIPT], { env, encoding: "utf8" });
}

/** Every program, whichever package is asked for; all say the same version, by default the one that was asked for. */
function installs(version = "${8##*@}"): string {
  const names = Object.values(AGENTS).map(({ name }) => name);
  const program = '"$3/node_modules/.bin/$name"';
  const write = `printf '#!/bin/sh\\necho %s\\n' "${version}" > ${program}; chmod +x ${program}`;
  return `mkdir -p "$3/node_modules/.bin"; for name in ${names.join(" ")}; do ${write}; done`;
}

const left = () => readdirSync(path.join(folder, "nightshift-agents"));

test("installs exactly the versions, once, outside of the clone", () => {
  expect([ensure(installs()).status, ensure("exit 1").status]).toEqual([0, 0]);
  const agents = Object.values(AGENTS);
  expect(left()).toEqual(agents.map(({ name, version }) => `${name}@${version}`));
  for (const agent of agents) {
    const program = programOf(agent, path.join(folder, "nightshift-agents"));
    expect(spawnSync(program, { encoding: "utf8" }).stdout).toContain(agent.version);
  }
});

test("says so where the registry cannot be reached, and leaves nothing half-made", () => {
  const { status, stderr } = ensure("echo ENOTFOUND >&2; exit 1");
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /need @anthropic-ai\/claude-code@[\d.]+, and npm could not install it\. Its registry must be reachable/,
  );
  expect(left()).toEqual([]);
});

test("takes no other version for it, as npm gives one that suits an old Node", () => {
  const { status, stderr } = ensure(installs("2.1.197"));
  expect([status, left()]).toEqual([1, []]);
  expect(stderr).toMatch(/--version` says "2\.1\.197/);
});

test("the cache is where such things are kept", () => {
  expect(cacheDir({ XDG_CACHE_HOME: "/c" })).toBe("/c/nightshift-agents");
  expect(cacheDir({})).toMatch(/\.cache\/nightshift-agents$/);
});
