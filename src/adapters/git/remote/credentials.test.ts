import { lstat, readFile, readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { GitCredentials } from "../../../ports/forge.ts";
import type { Workspaces } from "../../../ports/workspace.ts";
import { openLoopbackForge } from "../../../testing/forges/loopback-forge.ts";
import type { LoopbackForge, LoopbackParams } from "../../../testing/forges/loopback-forge.ts";
import { git, writeFiles } from "../../../testing/temp-repo.ts";
import { credentialsCall } from "./credentials.ts";
import { createGitWorkspaces } from "../workspaces.ts";

const TOKEN = "test-token-0123456789abcdef";
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const [project, task, name, branch] = ["shop", "task_login", "run_login", "night-shift/x"];
const good: GitCredentials = { username: "oauth2", password: TOKEN };

describe("git over http with the forge's token", { timeout: 120_000 }, () => {
  let loopback: LoopbackForge;
  let workspaces: Workspaces;
  let home: string;
  const before = { ...process.env };

  const begin = async (params: Partial<LoopbackParams> = {}) => {
    await loopback?.close();
    loopback = await openLoopbackForge({ kind: "gitlab", token: TOKEN, files: { "a.txt": "one\n" }, ...params });
    home = join(loopback.repo.path, "home");
    await writeFiles(home, { ".gitconfig": "" });
    process.env["HOME"] = home;
    delete process.env["GIT_CONFIG_GLOBAL"];
    const places = { mirrorsDir: join(home, "mirrors"), workspacesDir: join(home, "workspaces") };
    workspaces = createGitWorkspaces({ ...places, identity: { name: "N", email: "n@example.com" }, log });
  };
  beforeEach(() => begin());
  afterEach(async () => {
    process.env = { ...before };
    await loopback.close();
  });

  const sync = (credentials: GitCredentials | null, remote = loopback.remoteUrl) =>
    workspaces.sync({ project, remote, defaultBranch: null, credentials });

  /** Creates a commit that is ready to be pushed. */
  const work = async (commit: string) => {
    const { path } = await workspaces.open({ project, task, name, commit, branch, copy: null });
    await writeFiles(path, { "a.txt": "two\n" });
    return (await workspaces.collect({ project, task, name, message: "work", at: 0 })).commit ?? "";
  };
  const push = (commit: string, credentials: GitCredentials | null) =>
    workspaces.push({ project, task, remote: loopback.remoteUrl, commit, branch, credentials });

  test("fetches and pushes without writing the token to disk", async () => {
    const { commit } = await sync(good);
    expect(commit).toBe(await git(loopback.bareDir, "rev-parse", "main"));
    const made = await work(commit);
    await push(made, good);
    await push(made, good);
    expect(await git(loopback.bareDir, "rev-parse", branch)).toBe(made);
    const newer = await loopback.repo.commit({ "b.txt": "b\n" });
    expect(await sync(good)).toMatchObject({ commit: newer });
    expect(await filesWith(loopback.repo.path, TOKEN)).toEqual([]);
    expect(await filesWith(loopback.repo.path, Buffer.from(`oauth2:${TOKEN}`).toString("base64"))).toEqual([]);
    const sent = loopback.requests.map(({ path, query }) => `${path} ${JSON.stringify(query)}`).join("\n");
    expect(sent).not.toContain(TOKEN);
  });

  test("reports a wrong token when fetching and pushing", async () => {
    const wrong = { username: "oauth2", password: "a-wrong-token-of-somebody" };
    const refused = {
      name: "RemoteError",
      trouble: "credentials",
      kind: "forbidden",
      message: `${loopback.remoteUrl} refused the forge's token: it is wrong, expired or revoked.`,
      hint: expect.stringContaining("forge.token_env"),
    };
    expect(await told(sync(wrong))).toMatchObject(refused);
    const made = await work((await sync(good)).commit);
    expect(await told(push(made, wrong))).toMatchObject(refused);
    expect(await filesWith(loopback.repo.path, wrong.password)).toEqual([]);
  });

  test("reports missing credentials without a token", async () => {
    const missing = { trouble: "credentials", message: expect.stringContaining("cannot answer prompts") };
    expect(await told(sync(null))).toMatchObject(missing);
  });

  test("reports a token that may read but not push", async () => {
    await begin({ role: "read" });
    const made = await work((await sync(good)).commit);
    expect(await told(push(made, good))).toMatchObject({
      trouble: "credentials",
      message: expect.stringContaining("denied access"),
    });
  });

  test("does not use the user's own credential helpers", async () => {
    const notes = join(home, "asked");
    const helper = `!f() { echo "$1" >> ${notes}; cat >> ${notes}; }; f`;
    await writeFiles(home, {
      ".gitconfig": `[credential]\n\thelper = ${JSON.stringify(helper)}\n[credential "${loopback.url}"]\n\thelper = ${JSON.stringify(helper)}\n`,
    });
    await sync(good);
    await told(sync({ username: "oauth2", password: "a-wrong-token-of-somebody" }));
    expect(await readdir(home)).not.toContain("asked");
    // They are used if no token is given.
    await told(sync(null));
    expect(await readFile(notes, "utf8")).toContain("get");
  });

  test("sends nothing to another host, neither by a URL rewrite of the user nor by a redirect", async () => {
    const other = await openLoopbackForge({ kind: "gitlab", token: "its-own-token-of-the-other" });
    const sendsOn = createServer((request, response) => {
      response.writeHead(302, { location: `${other.url}${request.url ?? ""}` }).end();
    });
    await new Promise<void>((done) => void sendsOn.listen(0, "127.0.0.1", done));
    const address = sendsOn.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    try {
      // git asks the other host anonymously, is refused, and finds no helper for it.
      expect(await told(sync(good, `http://127.0.0.1:${port}/team/shop.git`))).toMatchObject({
        trouble: "credentials",
      });
      const asked = other.requests.length;
      expect(asked).toBeGreaterThan(0);
      await writeFiles(home, { ".gitconfig": `[url "${other.url}/"]\n\tinsteadOf = ${loopback.url}/\n` });
      expect(await told(sync(good))).toMatchObject({ trouble: "credentials" });
      expect(other.requests.length).toBeGreaterThan(asked);
      for (const { headers } of other.requests) expect(headers.authorization).toBeUndefined();
    } finally {
      sendsOn.closeAllConnections();
      await new Promise((done) => void sendsOn.close(done));
      await other.close();
    }
  });

  test("remotes that are not http need no credentials", () => {
    for (const remote of ["git@example.com:team/shop.git", "ssh://git@example.com/x", "/srv/git/x.git", "git://x/y"])
      expect(credentialsCall(remote, good, { A: "1" })).toEqual({ env: { A: "1" } });
    expect(credentialsCall("https://example.com/x.git", null, { A: "1" })).toEqual({ env: { A: "1" } });
  });

  test("the token is not in the arguments", () => {
    const { settings = [], env = {} } = credentialsCall("https://example.com/x.git", good, {});
    expect(settings.join(" ")).not.toContain(TOKEN);
    expect(Object.values(env)).toContain(TOKEN);
  });
});

/** Returns the error of a call, after checking that it does not contain the token. */
async function told(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => new Error("expected a failure"),
    (reason: unknown) => reason,
  );
  const { message = "", hint = "" } = error as { message?: string; hint?: string };
  expect(`${message}${hint}`).not.toContain(TOKEN);
  return error;
}

async function filesWith(dir: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(dir, { recursive: true })) {
    const path = join(dir, entry);
    if ((await lstat(path)).isFile() && (await readFile(path)).includes(text)) found.push(entry);
  }
  return found;
}
