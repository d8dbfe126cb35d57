import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { openFakeLogin, type FakeLogin } from "../../src/testing/models/fake-login.ts";
import type { ScriptedTurn } from "../../src/testing/models/fake-model.ts";
import { readAllFiles, openAgentNight } from "./agent-night.ts";
import { programDirOf, REAL_AGENTS, useTools } from "./real-agents.ts";

const { claude, codex } = REAL_AGENTS;

/** Login files of the CLIs, relative to a user's home. */
const FILES = [".codex/auth.json", ".claude/.credentials.json"] as const;

test("login: using a copied login logs the user out, which is why Nightshift copies none", async () => {
  const login = await startFakeLogin();
  const home = createUserHome(login);
  const copy = join(home, "copy");
  cpSync(join(home, ".codex"), copy, { recursive: true });
  const answers: ScriptedTurn<unknown> = ({ headers }) =>
    login.accepts(/^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "")
      ? { text: "Good evening." }
      : codex.refusals.login;
  const model = await codex.openModel(Array.from({ length: 20 }, () => answers));
  onTestFinished(() => model.close());
  const urls = { model: model.url, login: login.url };

  const byCopy = await runCodex(copy, urls);
  expect(byCopy).toMatchObject({ code: 0, output: expect.stringContaining("Good evening.") });
  expect(login.refreshes).toEqual(["renewed"]);

  const byUser = await runCodex(join(home, ".codex"), urls);
  expect(byUser.code).toBe(1);
  expect(byUser.output).not.toContain("Good evening.");
  expect(byUser.output).toMatch(/refresh token was already used\. Please log out and sign in again/);
  // The vendor cannot know which of the two is the owner.
  expect((await runCodex(copy, urls)).code).toBe(1);
});

const GATEWAY_CREDENTIALS = [
  // A machine token of `claude setup-token`. Assembled here, so that scanners do not find a key.
  [claude, { ANTHROPIC_API_KEY: undefined, CLAUDE_CODE_OAUTH_TOKEN: ["sk", "ant", "oat01", "5eed"].join("-") }],
  [codex, {}],
] as const;

describe.each(GATEWAY_CREDENTIALS)("$kind: credentials in the gateway", (agent, env) => {
  test("the user's login stays unchanged and unreadable", async () => {
    const login = await startFakeLogin();
    const home = createUserHome(login);
    const before = hashLogins(home);
    const look = FILES.map((file) => `cat ${join(home, file)}`).join("; ");
    const night = await openAgentNight(agent, {
      env: { HOME: home, ...env },
      turns: [
        useTools(agent.create("made.txt", "hello, world")),
        useTools(agent.shell(`${look}; ls -a ~; echo looked`)),
        useTools(agent.report({ outcome: "implemented", summary: "It greets the world." })),
        { text: "Done." },
      ],
    });
    const task = await night.settled((await night.submit()).id);
    expect(task, task.reason ?? "").toMatchObject({ status: "succeeded", outcome: "published" });

    const [token = night.key] = Object.values(env).filter((value) => value !== undefined);
    for (const { headers } of night.model.requests) expect(JSON.stringify(headers)).toContain(token);
    expect(login.refreshes).toEqual([]);
    expect(hashLogins(home)).toEqual(before);
    const received = JSON.stringify(night.model.requests.map(({ body }) => body));
    expect(received).toContain("looked");
    for (const secret of readSecrets(home)) {
      expect(received).not.toContain(secret);
      expect(readAllFiles(night.home)).not.toContain(secret);
    }
  });
});

async function startFakeLogin(): Promise<FakeLogin> {
  const login = await openFakeLogin();
  onTestFinished(() => login.close());
  return login;
}

/** A home with logins of both CLIs, in their own format. */
function createUserHome(login: FakeLogin): string {
  const home = mkdtempSync(join(tmpdir(), "nightshift-person-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const [forCodex, forClaude] = [login.logIn(), login.logIn()];
  const contents: Readonly<Record<(typeof FILES)[number], object>> = {
    ".codex/auth.json": {
      auth_mode: "chatgpt",
      OPENAI_API_KEY: null,
      tokens: {
        id_token: forCodex.accessToken,
        access_token: forCodex.accessToken,
        refresh_token: forCodex.refreshToken,
        account_id: "account",
      },
      last_refresh: "2020-01-01T00:00:00Z",
    },
    ".claude/.credentials.json": { claudeAiOauth: { ...forClaude, expiresAt: 0, scopes: ["user:inference"] } },
  };
  for (const [file, content] of Object.entries(contents)) {
    mkdirSync(join(home, file, ".."), { recursive: true });
    writeFileSync(join(home, file), JSON.stringify(content), { mode: 0o600 });
  }
  return home;
}

function hashLogins(home: string): readonly string[] {
  return FILES.map((file) =>
    createHash("sha256")
      .update(readFileSync(join(home, file)))
      .digest("hex"),
  );
}

function readSecrets(home: string): readonly string[] {
  const found = FILES.flatMap((file) =>
    readFileSync(join(home, file), "utf8").match(/refresh-\w+|[\w-]+\.[\w-]{40,}/g),
  );
  expect(new Set(found).size).toBe(4);
  return found.filter((secret) => secret !== null);
}

/** Runs codex like a user, with the login of `dir` and without Nightshift. */
async function runCodex(dir: string, { model, login }: { readonly model: string; readonly login: string }) {
  const config = {
    model_provider: "here",
    "model_providers.here.name": "here",
    "model_providers.here.base_url": `${model}/v1`,
    "model_providers.here.requires_openai_auth": true,
    "model_providers.here.supports_websockets": false,
    "model_providers.here.request_max_retries": 0,
    "features.apps": false,
    "analytics.enabled": false,
  };
  const flags = Object.entries(config).flatMap(([key, value]) => ["-c", `${key}=${JSON.stringify(value)}`]);
  const child = spawn(
    join(programDirOf(codex), "codex"),
    ["exec", "--skip-git-repo-check", "-m", codex.model, ...flags, "-"],
    {
      cwd: dir,
      env: { PATH: process.env["PATH"], HOME: dir, CODEX_HOME: dir, CODEX_REFRESH_TOKEN_URL_OVERRIDE: login },
      stdio: ["pipe", "pipe", "pipe"],
    },
  );
  child.stdin.end("Greet me.");
  const code = new Promise<number | null>((resolve) => void child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, output: stdout + stderr };
}
