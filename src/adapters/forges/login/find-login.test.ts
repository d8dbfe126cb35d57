import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTempDir, type TempDir } from "../../../testing/temp-repo.ts";
import { githubForge } from "../github/definition.ts";
import { gitlabForge } from "../gitlab/definition.ts";
import { findLogin, type FindLoginParams } from "./find-login.ts";

const TOKEN = "gho_of-the-login-0123456789";
const ENOUGH_MS = 120_000;

let dir: TempDir;
let bin: string;

beforeEach(async () => {
  dir = await createTempDir();
  bin = join(dir.path, "bin");
  await mkdir(bin);
  // Programs of this machine must not answer.
  for (const name of ["gh", "glab"]) await writeProgram(name, "exit 1");
});
afterEach(() => dir.remove());

async function writeProgram(name: string, script: string): Promise<void> {
  await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(bin, name), 0o755);
}

async function writeHelper(script: string): Promise<void> {
  await writeProgram("helper", script);
  await writeFile(join(dir.path, ".gitconfig"), `[credential]\n\thelper = "${join(bin, "helper")}"\n`);
}

function find(params: Partial<FindLoginParams> & { readonly more?: Record<string, string> } = {}) {
  const { more = {}, ...rest } = params;
  return findLogin({
    definition: githubForge,
    settings: { url: "https://forge.example.com" },
    env: { HOME: dir.path, PATH: `${bin}:${process.env["PATH"]}`, ...more },
    timeoutMs: ENOUGH_MS,
    ...rest,
  });
}

function isRunning(pid: number): boolean {
  try {
    // A zombie has ended, too: only its parent has not read the exit code yet.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const log = async (name: string): Promise<string> => (await readFile(join(bin, `${name}.log`), "utf8")).trim();

test("a GitHub login comes from gh, which is asked for the forge's host", async () => {
  await writeProgram("gh", `echo "$@" > "$0.log"; echo ${TOKEN}`);
  expect(await find()).toEqual({ login: { source: "gh", token: TOKEN, username: null }, timedOut: false });
  expect(await log("gh")).toBe("auth token --hostname=forge.example.com");
});

test("a GitLab login comes from glab, which is asked for the forge's host and port", async () => {
  await writeProgram("glab", `echo "$@" > "$0.log"; echo ${TOKEN}`);
  const url = "https://forge.example.com:8443/gitlab";
  expect((await find({ definition: gitlabForge, settings: { url } })).login).toMatchObject({ source: "glab" });
  expect(await log("glab")).toBe("config get token --host=forge.example.com:8443");
});

test.each([
  ["prints nothing", "true"],
  ["prints a sentence", "echo You are not logged in."],
  ["prints several lines", `echo ${TOKEN}; echo ${TOKEN}`],
  ["prints a word that is too short to be redacted", "echo null"],
  ["prints binary data", "head -c 2000 /dev/urandom"],
  ["prints too much", `while :; do echo ${TOKEN}; done`],
  ["prints a token and fails", `echo ${TOKEN}; exit 1`],
  ["does not read its input", `exec <&-; exit 3`],
])("no login comes from a gh that %s", async (_, script) => {
  await writeProgram("gh", script);
  expect(await find()).toEqual({ login: null, timedOut: false });
});

describe("git's credential helper", () => {
  test("is asked if gh has no login, for the forge's protocol and host only", async () => {
    await writeHelper(`cat > "$0.log"; echo "$1" >> "$0.log"; echo username=alice; echo password=${TOKEN}`);
    expect((await find()).login).toEqual({ source: "git", token: TOKEN, username: "alice" });
    expect((await log("helper")).split("\n").filter((line) => !line.startsWith("capability") && line !== "")).toEqual([
      "protocol=https",
      "host=forge.example.com",
      "get",
    ]);
  });

  test.each([
    ["has no password", "echo username=alice"],
    ["prints garbage", "echo garbage"],
    ["has a password with spaces", "echo username=alice; echo 'password=correct horse battery'"],
  ])("gives no login if it %s, and no askpass program is started", async (_, script) => {
    await writeHelper(script);
    await writeProgram("askpass", `touch "$0.log"; echo ${TOKEN}`);
    const askpass = join(bin, "askpass");
    await writeFile(join(dir.path, ".gitconfig"), `[core]\n\taskPass = ${askpass}\n`, { flag: "a" });
    const { login } = await find({ more: { GIT_ASKPASS: askpass, SSH_ASKPASS: askpass, DISPLAY: ":0" } });
    expect(login).toBeNull();
    await expect(log("askpass")).rejects.toThrow("ENOENT");
  });
});

test("if a program hangs, the next one is asked", async () => {
  await writeProgram("gh", "sleep 1000");
  await writeHelper(`echo username=alice; echo password=${TOKEN}`);
  // git needs more time on a busy machine.
  for (const timeoutMs of [1_000, 5_000, 30_000]) {
    const { login, timedOut } = await find({ timeoutMs });
    expect(timedOut).toBe(true);
    if (login !== null || timeoutMs === 30_000) expect(login).toMatchObject({ source: "git", token: TOKEN });
    if (login !== null) return;
  }
}, 120_000);

test(
  "a program that is stopped ends together with its children",
  async () => {
    await writeProgram("gh", `sleep 1000 & echo $! > "$0.log"; while :; do echo ${TOKEN}; done`);
    expect(await find()).toEqual({ login: null, timedOut: false });
    const child = Number(await log("gh"));
    await expect.poll(() => isRunning(child), { timeout: ENOUGH_MS }).toBe(false);
  },
  ENOUGH_MS,
);

test("the programs get no token variables and no git settings of the daemon, and do not run in a checkout", async () => {
  await writeProgram("gh", `env > "$0.log"; pwd >> "$0.log"; exit 1`);
  const secrets = { GH_TOKEN: TOKEN, GITHUB_TOKEN: TOKEN, GH_ENTERPRISE_TOKEN: TOKEN, ANY_KEY: TOKEN };
  await find({ more: { ...secrets, GIT_DIR: "/nowhere", GIT_CONFIG_COUNT: "1", GH_CONFIG_DIR: "/own/gh" } });
  const seen = await log("gh");
  expect(seen).not.toContain(TOKEN);
  expect(seen).not.toMatch(/^GIT_(DIR|CONFIG_COUNT)=/m);
  expect(seen).toMatch(/^GH_CONFIG_DIR=\/own\/gh$/m);
  expect(seen).toMatch(/^\/$/m);
});

test.each([
  ["http://forge.example.com", null],
  ["not a url", null],
  ["http://127.0.0.1:8080", "gh"],
])("the login for %s comes from %s, because no login is sent in clear text to another machine", async (url, source) => {
  await writeProgram("gh", `echo ${TOKEN}`);
  expect((await find({ settings: { url } })).login?.source ?? null).toBe(source);
});

test("no program is started without PATH", async () => {
  expect(await find({ env: {} })).toEqual({ login: null, timedOut: false });
});
