import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Settings } from "../../core/settings/settings.ts";
import { createTempDir, type TempDir } from "../../testing/temp-repo.ts";
import { findRegistryHosts } from "../detect/detect-registry.ts";
import { describeBaseline } from "./doctor-checks.ts";
import { checkConfiguration } from "./doctor-configuration.ts";

let dir: TempDir;
beforeEach(async () => {
  dir = await createTempDir();
});
afterEach(() => dir.remove());

interface Written {
  readonly check?: string;
  readonly setup?: string | null;
  readonly copy?: readonly string[];
  readonly commands?: readonly string[] | null;
  readonly network?: readonly string[];
}

function check({ check: command = "true", setup = null, copy = [], commands = null, network = [] }: Written) {
  const settings = {
    checks: [{ name: "test", command, related: null }],
    workspace: { setup, copy },
    sandbox: { commands, network },
  } as unknown as Settings; // only what is read
  return checkConfiguration({ settings, dir: dir.path, mode: "enforce" });
}

test("doctor reports a check whose program is not in sandbox.commands, before anything runs", async () => {
  expect(await check({ check: "cd web && uv run pytest | tail", commands: ["git", "npm run"] })).toMatchObject([
    { ok: "no", detail: "the check test uses uv, which is not in sandbox.commands" },
  ]);
  expect(await check({ check: "npm test && node --check a.js && ./run", commands: ["npm run"] })).toEqual([]);
  expect(await check({ check: "bash ci/test.sh", setup: "bash ci/setup.sh", commands: ["git"] })).toEqual([]);
  expect(await check({ check: "uv run pytest", commands: null })).toEqual([]);
});

test("doctor reports a folder in workspace.copy, because every run would fail", async () => {
  await mkdir(join(dir.path, "fixtures"));
  await writeFile(join(dir.path, ".env.test"), "");
  expect(await check({ copy: ["fixtures", ".env.test", "missing"] })).toMatchObject([
    { name: "workspace.copy", ok: "no", detail: expect.stringContaining("lists fixtures, but only files") },
  ]);
});

test("doctor reports a set-up that downloads packages from a host that is not allowed", async () => {
  expect(await check({ setup: "npm ci" })).toMatchObject([
    { ok: "warn", detail: expect.stringContaining("registry.npmjs.org"), fix: expect.stringContaining("trust") },
  ]);
  expect(await check({ setup: "npm ci", network: ["*.npmjs.org"] })).toEqual([]);
  expect(await check({ setup: "make deps" })).toEqual([]);
});

test.for([
  ["pnpm install --frozen-lockfile", ["registry.npmjs.org"]],
  ["python3 -m venv .venv && .venv/bin/pip install -r requirements.txt", ["pypi.org", "files.pythonhosted.org"]],
  ["cargo fetch", ["index.crates.io", "static.crates.io"]],
  ["go mod download", ["proxy.golang.org", "sum.golang.org"]],
  ["npm run build", []],
] as const)("%s downloads from %j", async ([setup, hosts]) => {
  expect(await findRegistryHosts(setup, dir.path)).toEqual(hosts);
});

test("the registry in the project's .npmrc replaces the default, without its credentials", async () => {
  await writeFile(join(dir.path, ".npmrc"), "registry=https://bob:secret@npm.example.com:8443/team/\n");
  expect(await findRegistryHosts("npm ci", dir.path)).toEqual(["npm.example.com:8443"]);
});

const result = (status: "passed" | "failed" | "could_not_run", decides = true) => ({
  name: status,
  decides,
  status,
  exitCode: 1,
  durationMs: 1234,
  tail: "uv: not found",
  measuredAt: 0,
});

const summary = (...results: readonly ReturnType<typeof result>[]) =>
  describeBaseline({ branch: "main", commit: "0123456789", results }).find(({ night }) => night !== undefined);
const isMet = (...statuses: readonly Parameters<typeof result>[0][]) =>
  summary(...statuses.map((status) => result(status)))?.night?.met;

test("checks are ready for the night only if all of them can run and one passes", () => {
  expect(isMet("passed", "failed")).toBe(true);
  expect(isMet("failed")).toBe(false);
  expect(isMet("passed", "could_not_run")).toBe(false);
  expect(isMet()).toBe(false);
});

test("checks that cannot reject a change do not make a project ready for the night", () => {
  expect(summary(result("failed"), result("passed", false))).toMatchObject({
    night: { met: false },
    detail: expect.stringContaining("no check with severity error passed"),
  });
  expect(summary(result("passed", false))?.night?.met).toBe(false);
  expect(summary(result("passed"), result("failed", false))?.night?.met).toBe(true);
});

test("doctor advises a longer timeout for a check that was still running", () => {
  const slow = { ...result("could_not_run"), tail: "It was still running after 120 s and was ended." };
  const [finding] = describeBaseline({ branch: "main", commit: "0123456789", results: [slow] });
  expect(finding?.fix).toContain("raise its timeout");
});
