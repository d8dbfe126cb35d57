import { appendFile, chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createProjectFiles } from "../../config/files/project-files.ts";
import type { ForgeSettings, Settings } from "../../core/settings/settings.ts";
import { openLoopbackForge, type LoopbackForge } from "../../testing/forges/loopback-forge.ts";
import { sampleProject } from "../../testing/store/samples.ts";
import { createTempDir, type TempDir } from "../../testing/temp-repo.ts";
import { createKnownSecrets } from "../known-secrets.ts";
import { REGISTRY } from "./registry.ts";
import { createForgeLogins } from "./wire-forge-logins.ts";
import { createForgeFinder, wireForges } from "./wire-forges.ts";

const TOKEN = "glpat-of-the-login-0123456789";

let dir: TempDir;
let forge: LoopbackForge;
let now: number;
let timeoutMs: number;

beforeEach(async () => {
  now = 0;
  timeoutMs = 120_000;
  dir = await createTempDir();
  await mkdir(join(dir.path, "bin"));
  await mkdir(join(dir.path, "home"));
  await mkdir(join(dir.path, "repo"));
  forge = await openLoopbackForge({ kind: "gitlab", token: TOKEN });
  await logIn(TOKEN);
});
afterEach(async () => {
  await forge.close();
  await dir.remove();
});

/** Installs a glab that prints this token, and counts its calls. */
async function logIn(token: string, script = ""): Promise<void> {
  const file = join(dir.path, "bin/glab");
  await writeFile(file, `#!/bin/sh\necho called >> "$0.log"\n${script}\necho ${token}\n`);
  await chmod(file, 0o755);
  await appendFile(`${file}.log`, "");
}

const countCalls = async (): Promise<number> =>
  (await readFile(join(dir.path, "bin/glab.log"), "utf8")).split("\n").length - 1;

function open({ variables = {} }: { readonly variables?: Record<string, string> } = {}) {
  const env = { HOME: dir.path, PATH: `${join(dir.path, "bin")}:${process.env["PATH"]}`, ...variables };
  const secrets = createKnownSecrets({});
  const { forges } = REGISTRY;
  const logins = createForgeLogins({
    forges,
    env,
    addSecret: secrets.add,
    now: () => now,
    get timeoutMs() {
      return timeoutMs;
    },
  });
  const find = createForgeFinder(forges, env, logins);
  return { logins, secrets, find: (settings: ForgeSettings) => find({ remote: forge.remoteUrl }, { forge: settings }) };
}

function openFiles(): ReturnType<typeof createProjectFiles> {
  const builtinDir = join(import.meta.dirname, "../../builtin");
  return createProjectFiles({ configDir: join(dir.path, "home"), builtinDir, format: REGISTRY.format });
}

/** The settings in effect for a nightshift.yaml, accepted by a person or not. */
async function readSettings(isAccepted = true, files = openFiles()): Promise<Settings> {
  const path = join(dir.path, "repo");
  await writeFile(join(path, "nightshift.yaml"), `forge: { kind: gitlab, url: "${forge.url}" }\n`);
  const { wanted } = await files.pendingTrust({ path }, "{}");
  return files.settings({ name: "shop", path, accepted: isAccepted ? wanted : "{}" });
}

async function requireForge(): Promise<ForgeSettings> {
  const { forge: settings } = await readSettings();
  if (settings === null) throw new Error("The project should have a forge.");
  return settings;
}

test("a forge without a token variable works with the user's login, which is redacted", async () => {
  const { logins, secrets, find } = open();
  const settings = await requireForge();
  await logins.load(settings);
  expect(secrets.current().redactValue(`the token is ${TOKEN}`)).not.toContain(TOKEN);
  expect(await find(settings)?.check()).toEqual([]);
  expect(find(settings)?.credentialsFor(forge.remoteUrl)).toEqual({ username: "oauth2", password: TOKEN });
});

test.each([
  ["has the login if a person accepted it", true, 1],
  ["does not exist, and no program is started, if no person accepted it", false, 0],
])("a forge opened with settings that were just read %s", async (_, isAccepted, calls) => {
  const files = openFiles();
  const secrets = createKnownSecrets({});
  const env = { HOME: dir.path, PATH: `${join(dir.path, "bin")}:${process.env["PATH"]}` };
  const forges = wireForges({ forges: REGISTRY.forges, env, addSecret: secrets.add, projectFiles: files });
  const settings = await readSettings(isAccepted, files);
  const opened = forges.open(sampleProject({ remote: forge.remoteUrl }), settings);
  expect(opened?.credentialsFor(forge.remoteUrl)?.password).toBe(isAccepted ? TOKEN : undefined);
  expect(secrets.values().map(({ value }) => value)).toEqual(isAccepted ? [TOKEN] : []);
  expect(await countCalls()).toBe(calls);
});

test("an agent that publishes does not get the user's login", async () => {
  const { logins, find } = open();
  const settings = await requireForge();
  await logins.load(settings);
  expect(() => find(settings)?.issueCredentials()).toThrow(/does not get the token from glab/);
});

test("the token variable comes first, and then no program is started", async () => {
  const { logins, find } = open({ variables: { GITLAB_TOKEN: "glpat-of-the-variable-0123" } });
  const settings = await requireForge();
  await logins.load(settings);
  expect(find(settings)?.credentialsFor(forge.remoteUrl)?.password).toBe("glpat-of-the-variable-0123");
  expect(await countCalls()).toBe(0);
});

test("a user can forbid the login: no program is started, and a login that was loaded before is not used", async () => {
  const { logins, find } = open();
  const settings = await requireForge();
  await logins.load(settings);
  await writeFile(join(dir.path, "home/config.yaml"), "use_own_login: false\n");
  const forbidden = await requireForge();
  expect(find(forbidden)?.credentialsFor(forge.remoteUrl)).toBeNull();
  expect(await find(forbidden)?.check()).toEqual([expect.stringMatching(/There is no token for .*\$GITLAB_TOKEN/)]);
  const fresh = open();
  await fresh.logins.load(forbidden);
  expect(await countCalls()).toBe(1);
});

test("programs are asked once for many loads, and again later", async () => {
  const { logins } = open();
  const settings = await requireForge();
  await Promise.all([logins.load(settings), logins.load(settings)]);
  await logins.load(settings);
  expect(await countCalls()).toBe(1);
  now += 3_600_000;
  await logins.load(settings);
  expect(await countCalls()).toBe(2);
});

test("a login that the forge refuses is looked up again, and the message names its source", async () => {
  await logIn("glpat-that-was-revoked-0123456789");
  const { logins, find } = open();
  const settings = await requireForge();
  await logins.load(settings);
  const [problem] = (await find(settings)?.check()) ?? [];
  expect(problem).toMatch(/refused the token from glab.*\$GITLAB_TOKEN/);
  expect(problem).not.toContain("revoked-0123456789");
  await logIn(TOKEN);
  await logins.load(settings);
  expect(await find(settings)?.check()).toEqual([]);
});

test("a program that hangs does not remove the login, and is not asked again at once", async () => {
  const { logins } = open();
  const settings = await requireForge();
  await logins.load(settings);
  await logIn(TOKEN, "sleep 1000");
  now += 3_600_000;
  timeoutMs = 500;
  await logins.load(settings);
  expect(logins.current(settings)?.token).toBe(TOKEN);
  timeoutMs = 120_000;
  await logIn("glpat-of-somebody-else-0123456789");
  await logins.load(settings);
  expect(logins.current(settings)?.token).toBe(TOKEN);
});
