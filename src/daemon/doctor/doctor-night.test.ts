import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openLoopbackForge, type LoopbackForge, type LoopbackParams } from "../../testing/forges/loopback-forge.ts";
import { createTempDir, type TempDir } from "../../testing/temp-repo.ts";
import { createProjectFiles } from "../../config/files/project-files.ts";
import { checkNights } from "./doctor-night.ts";
import type { Finding } from "./doctor-finding.ts";
import type { Secret } from "../../policy/secrets/secret-forms.ts";
import { REGISTRY } from "../wire/registry.ts";

const TOKEN = "glpat-planted-for-the-doctor-0123";
const MONDAY = Date.parse("2026-03-02T12:00:00Z");

let dir: TempDir;
let home: string;
let repo: string;

beforeEach(async () => {
  dir = await createTempDir();
  home = join(dir.path, "home");
  repo = join(dir.path, "repo");
  await mkdir(home);
  await mkdir(repo);
  await writeFile(join(home, "daemon.json"), "{}");
});
afterEach(() => dir.remove());

interface CheckOptions {
  readonly settings: string;
  readonly remote?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly addSecret?: (secret: Secret) => void;
}

async function check({
  settings,
  remote = "/nowhere.git",
  env = {},
  cwd = "/",
  addSecret = () => undefined,
}: CheckOptions): Promise<readonly Finding[]> {
  await writeFile(join(repo, "nightshift.yaml"), `time_zone: Europe/Paris\n${settings}`);
  const builtinDir = join(import.meta.dirname, "../../builtin");
  const files = createProjectFiles({ configDir: home, builtinDir, format: REGISTRY.format });
  const { wanted } = await files.pendingTrust({ path: repo }, "{}");
  const project = { name: "shop", path: repo, remote, accepted: wanted };
  return checkNights({ env, home, projects: [project], cwd, now: MONDAY, registry: REGISTRY, addSecret });
}

test("doctor reports nothing for a project without forge, schedule and own prompts", async () => {
  expect(await check({ settings: "" })).toEqual([]);
});

test("doctor reports a project whose folder is missing", async () => {
  const project = { name: "shop", path: join(dir.path, "gone"), remote: "/nowhere.git", accepted: "{}" };
  expect(
    await checkNights({
      env: {},
      home,
      projects: [project],
      cwd: "/",
      now: MONDAY,
      registry: REGISTRY,
      addSecret: () => undefined,
    }),
  ).toMatchObject([
    { name: "settings (shop)", ok: "no", detail: expect.stringContaining("the project's folder does not exist") },
  ]);
});

describe("doctor: schedules", () => {
  test("shows the next run in the project's time zone with its categories or pipeline", async () => {
    const found = await check({
      settings: `improve: { schedule: "0 2 * * 2", categories: { tuesday: [docs, tests] } }
schedules: [{ name: audit, cron: "30 3 1 * *", pipeline: staged, title: Audit }]\n`,
    });
    expect(found).toEqual([
      { name: "improve (shop)", ok: "yes", detail: "next: Tue 03 Mar, 02:00 Europe/Paris, docs, tests", fix: null },
      { name: "audit (shop)", ok: "yes", detail: "next: Wed 01 Apr, 03:30 Europe/Paris, staged", fix: null },
    ]);
  });

  test("warns about days without a category", async () => {
    const [found] = await check({
      settings: 'improve: { schedule: "0 2 * * *", categories: { monday: [tests], saturday: [docs] } }\n',
    });
    expect(found).toMatchObject({
      ok: "warn",
      detail: expect.stringContaining("nothing is done on tuesday, wednesday, thursday, friday, sunday"),
      fix: expect.stringContaining("improve.categories"),
    });
  });

  test("a schedule whose days all have no category does not make the current project ready", async () => {
    const never = 'improve: { schedule: "0 2 * * *" }\n';
    const monday = 'improve: { schedule: "0 2 * * *", categories: { monday: [tests] } }\n';
    expect((await check({ settings: never, cwd: repo }))[0]?.night).toEqual({ need: "schedule", met: false });
    expect((await check({ settings: monday, cwd: repo }))[0]?.night).toEqual({ need: "schedule", met: true });
  });

  test("warns if no daemon is running", async () => {
    home = join(dir.path, "elsewhere");
    await mkdir(home);
    expect(
      await check({ settings: 'improve: { schedule: "0 2 * * 1", categories: { monday: [docs] } }\n' }),
    ).toMatchObject([
      { name: "improve (shop)", ok: "yes" },
      { name: "schedules (shop)", ok: "warn", fix: "nightshift start" },
    ]);
  });
});

test("doctor warns about unknown variables in prompts and suggests similar names", async () => {
  await mkdir(join(repo, ".nightshift/prompts"), { recursive: true });
  await writeFile(join(repo, ".nightshift/prompts/review.md"), "For {{team}}: {{dif}} {{checks}}");
  const settings = 'improve: { variables: { team: payments } }\nroles: { plan: { append: "see {{the_wiki}}" } }\n';
  expect(await check({ settings })).toEqual([
    {
      name: "prompts (shop)",
      ok: "warn",
      detail:
        'the prompt of plan uses the unknown variable {{the_wiki}}.\nthe prompt of review uses the unknown variable {{dif}}. Did you mean "diff"?',
      fix: expect.stringContaining("improve.variables"),
    },
  ]);
});

test("doctor warns about a webhook whose secret is not set", async () => {
  const settings = 'forge: { kind: github, url: "http://127.0.0.1:9", project: team/shop, webhook_secret_env: HOOK }\n';
  const checkHook = async (env: Readonly<Record<string, string>>) =>
    (await check({ settings, env, cwd: repo })).find(({ name }) => name === "webhook (shop)");
  expect(await checkHook({ HOOK: " " })).toMatchObject({
    ok: "warn",
    detail: expect.stringMatching(/^\$HOOK is not set/),
  });
  expect(await checkHook({ HOOK: "a-secret-of-the-webhook" })).toBeUndefined();
});

describe("doctor: forge", () => {
  let forge: LoopbackForge;
  afterEach(() => forge.close());

  async function checkWithForge(
    params: Partial<LoopbackParams> & { readonly configured?: string | null; readonly cwd?: string } = {},
  ) {
    const { configured = TOKEN, cwd = "/", ...rest } = params;
    forge = await openLoopbackForge({ kind: "gitlab", token: TOKEN, ...rest });
    return check({
      settings: `forge: { kind: gitlab, url: "${forge.url}", token_env: SHOP_TOKEN, reviewer: alice }\n`,
      remote: forge.remoteUrl,
      env: configured === null ? {} : { SHOP_TOKEN: configured },
      cwd,
    });
  }

  test("tests the push with the forge's token and leaves no branch behind", async () => {
    expect(await checkWithForge()).toMatchObject([
      {
        name: "forge (shop)",
        ok: "yes",
        detail: expect.stringContaining(`${forge.project}: the token in $SHOP_TOKEN`),
      },
      { name: "remote (shop)", ok: "yes" },
      { name: "push (shop)", ok: "yes" },
    ]);
    expect(await forge.repo.git("ls-remote", "--heads", forge.bareDir)).not.toContain("nightshift-doctor");
  });

  test("leaves the remote of the current folder to the project check", async () => {
    expect((await checkWithForge({ cwd: repo })).map(({ name }) => name)).toEqual(["forge (shop)"]);
  });

  test.each([
    ["no token", { configured: null }, /There is no token for .*\$SHOP_TOKEN is not set.*set \$SHOP_TOKEN/],
    ["a wrong token", { configured: "glpat-another-one-0123456789" }, /token/],
    ["a token without its scope", { scopes: ["read_api"] }, /scope "api"/],
    ["an unknown reviewer", { users: [] }, /"alice".*forge\.reviewer/],
  ])("reports %s", async (_, params, expected) => {
    const [finding] = await checkWithForge(params);
    expect(finding).toMatchObject({ name: "forge (shop)", ok: "no", detail: expect.stringMatching(expected) });
    expect(JSON.stringify(finding)).not.toContain(TOKEN);
  });

  test("uses the user's login if there is no token, and says which program it is from", async () => {
    forge = await openLoopbackForge({ kind: "gitlab", token: TOKEN });
    const bin = join(dir.path, "bin");
    await mkdir(bin);
    await writeFile(join(bin, "glab"), `#!/bin/sh\necho ${TOKEN}\n`, { mode: 0o755 });
    const settings = `forge: { kind: gitlab, url: "${forge.url}" }\n`;
    const added: string[] = [];
    const checkLogin = (more = "") =>
      check({
        settings: `${settings}${more}`,
        remote: forge.remoteUrl,
        env: { PATH: bin },
        addSecret: ({ value }) => void added.push(value),
      });
    const findings = await checkLogin();
    expect(findings).toMatchObject([
      { name: "forge (shop)", ok: "yes", detail: expect.stringMatching(/the token from glab may push/) },
      { name: "remote (shop)", ok: "yes" },
      { name: "push (shop)", ok: "yes" },
    ]);
    expect(JSON.stringify(findings)).not.toContain(TOKEN);
    expect(added).toEqual([TOKEN]);
    await forge.close();
    const [unreachable] = await checkLogin();
    expect(unreachable).toMatchObject({ ok: "no", detail: expect.stringMatching(/\nThe token is from glab\.$/) });
    expect(await checkLogin("improve: { publish: agent }\n")).toContainEqual(
      expect.objectContaining({
        name: "publishing (shop)",
        ok: "no",
        detail: expect.stringContaining("never gets the token from glab"),
      }),
    );
  });

  test("reports that an agent gets the token, and what it lacks for publishing", async () => {
    forge = await openLoopbackForge({ kind: "gitlab", token: TOKEN });
    const settings = (more: string) =>
      `forge: { kind: gitlab, url: "${forge.url}", token_env: SHOP_TOKEN }\nimprove: { publish: agent }\n${more}`;
    const bin = join(dir.path, "bin");
    await mkdir(bin);
    for (const name of ["git", "glab"]) await writeFile(join(bin, name), "#!/bin/sh\n", { mode: 0o755 });
    await writeFile(join(home, "config.yaml"), "sandbox: { mode: none }\n");
    const checkPublishing = async (more: string, path: string) =>
      (await check({ settings: settings(more), remote: forge.remoteUrl, env: { SHOP_TOKEN: TOKEN, PATH: path } })).find(
        ({ name }) => name === "publishing (shop)",
      );
    expect(await checkPublishing("", bin)).toMatchObject({
      ok: "yes",
      detail: expect.stringMatching(/glab.*gets the token in \$SHOP_TOKEN/),
    });
    expect(await checkPublishing("sandbox: { commands: [git] }\n", bin)).toMatchObject({
      ok: "warn",
      detail: "an agent should publish with glab, which is not in sandbox.commands",
    });
    expect(await checkPublishing("", join(dir.path, "nothing"))).toMatchObject({
      ok: "warn",
      detail: expect.stringMatching(
        /^an agent should publish with git, which .*\nan agent should publish with glab, which /,
      ),
    });
    await writeFile(join(home, "config.yaml"), "sandbox: { mode: enforce }\n");
    expect(await checkPublishing("", bin)).toMatchObject({
      ok: "no",
      detail: expect.stringMatching(
        /runs in the sandbox cannot connect to the forge.*\nfound 127\.0\.0\.1:\d+; allowed: public internet hosts/,
      ),
      fix: expect.stringMatching(/^set improve\.publish: engine, or allow a forge with a private address/),
    });
  });

  test("reports a remote that does not belong to the forge", async () => {
    forge = await openLoopbackForge({ kind: "gitlab", token: TOKEN });
    const [finding] = await check({ settings: "forge: { kind: github }\n", remote: "/srv/shop.git" });
    expect(finding).toMatchObject({ ok: "no", fix: expect.stringContaining("forge.project") });
  });
});
