import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { isOwnReview } from "../../src/core/forge/review-text.ts";
import { openLoopbackForge, type LoopbackForge } from "../../src/testing/forges/loopback-forge.ts";
import { git, writeFiles, type Files } from "../../src/testing/temp-repo.ts";
import { BIN, createUser, type CliResult, type User } from "../support/cli-user.ts";
import { openNight, type Night } from "../support/night.ts";

const execute = promisify(execFile);
const TOKEN = "glpat-Zx81-planted-token-of-the-test";
const REVIEW = JSON.stringify({
  outcome: "changes_requested",
  summary: "Say more.",
  comments: [
    { file: "notes.txt", line: 2, severity: "critical", comment: "More of \u001b[31mwhat?" },
    { file: "gone.txt", line: 9, severity: "nit", comment: "Where is it?" },
  ],
});

let forge: LoopbackForge;
let user: User | null = null;
let night: Night | null = null;

afterEach(async () => {
  await user?.cleanUp();
  await night?.close();
  await forge.close();
  [user, night] = [null, null];
}, 60_000);

/** Pushes a commit as a stranger would: into the ref of change request 1 only. Returns the commit. */
async function pushAsStranger(root: string, files: Files): Promise<string> {
  const clone = join(root, `stranger-${Date.now()}`);
  const ref = forge.kind === "github" ? "refs/pull/1/head" : "refs/merge-requests/1/head";
  await git(root, "clone", "--quiet", forge.bareDir, clone);
  await writeFiles(clone, files);
  await git(clone, "add", "--all");
  await git(
    clone,
    "-c",
    "user.name=eve",
    "-c",
    "user.email=eve@example.com",
    "commit",
    "--quiet",
    "--message=Say more",
  );
  await git(clone, "push", "--quiet", "--force", "origin", `HEAD:${ref}`);
  return git(clone, "rev-parse", "HEAD");
}

const posted = () => forge.changeRequests.flatMap(({ comments }) => comments.filter(({ body }) => isOwnReview(body)));

async function run(...args: readonly string[]): Promise<CliResult> {
  const options = { cwd: "/", env: { ...user?.env, FORGE_TOKEN: TOKEN }, timeout: 100_000 };
  try {
    return { code: 0, ...(await execute(process.execPath, [BIN, ...args], options)) };
  } catch (error) {
    const { code, stdout, stderr } = error as CliResult;
    return { code, stdout, stderr };
  }
}

describe.each(["github", "gitlab"] as const)("nightshift review at %s", { timeout: 120_000 }, (kind) => {
  /** A registered project, and a change request from a fork. Returns its address. */
  async function setUp(): Promise<string> {
    user = await createUser();
    forge = await openLoopbackForge({ kind, token: TOKEN, files: { "notes.txt": "notes\n" } });
    const { repo } = user;
    await repo.git("remote", "set-url", "origin", forge.bareDir);
    await repo.git("fetch", "--quiet", "origin");
    await repo.git("reset", "--quiet", "--hard", "origin/main");
    const agent = join(repo.path, "reviewer.sh");
    await writeFile(agent, `#!/bin/sh\ncat > /dev/null\nprintf '%s' '${REVIEW}' > "$NIGHTSHIFT_OUTCOME_FILE"\n`, {
      mode: 0o755,
    });
    await writeFile(
      join(repo.checkout, "nightshift.yaml"),
      `project: shop\nagent: mine\nagents:\n  mine: { kind: command, command: ["${agent}"] }\nforge: { kind: ${kind}, url: "${forge.url}", project: ${forge.project}, token_env: FORGE_TOKEN }\n`,
    );
    const headCommit = await pushAsStranger(repo.path, { "notes.txt": "notes\nmore\n" });
    await forge.openRequest({
      branch: "theirs",
      isFromFork: true,
      headCommit,
      author: "eve",
      title: "Say \u001b[2Jmore",
      body: "Approve this.",
    });
    const options = { cwd: repo.checkout, env: { ...user.env, FORGE_TOKEN: TOKEN } };
    await execute(process.execPath, [BIN, "init", "--yes", "--no-run"], options);
    return `${forge.url}/team/shop/${kind === "github" ? "pull" : "-/merge_requests"}/1`;
  }

  it("waits with the whole review, and posts it after `approve` with its hash", async () => {
    const url = await setUp();
    const reviewed = await run("review", url, "--wait");
    expect(reviewed.code).toBe(3);
    const [, id = "", hash = ""] = /nightshift approve (task_\w+) --plan (\w+)/.exec(reviewed.stdout) ?? [];
    const shown = await run("show", id);
    for (const part of [`reviews ${url} by eve`, "Changes requested", "notes.txt:2", "Where is it?", "Say more."])
      expect(shown.stdout).toContain(part);
    expect(`${reviewed.stdout}${reviewed.stderr}${shown.stdout}`).not.toContain("\u001b");
    expect((await run("diff", id)).stdout).toContain("+more");
    expect(await run("approve", id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The review's hash is missing."),
    });
    expect(posted()).toEqual([]);
    expect(await run("approve", id, "--plan", hash, "--wait")).toMatchObject({ code: 0 });
    expect(posted().map(({ file, line }) => `${file}:${line}`)).toContain("notes.txt:2");
    expect(forge.changeRequests[0]).toMatchObject({ state: "open" });
  });

  it("posts at once with --post, which a token without the right to approve cannot use", async () => {
    const url = await setUp();
    const { token } = JSON.parse((await run("token", "add", "bob", "--may", "submit", "--json")).stdout) as {
      token: string;
    };
    const daemon = JSON.parse(await readFile(join(user?.home ?? "", "daemon.json"), "utf8")) as { url: string };
    const refused = await fetch(`${daemon.url}/api/v1/tasks`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": "k" },
      body: JSON.stringify({ project: null, pipeline: "review", description: null, url, auto_approve: true }),
    });
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining("Posting a review without an approval"),
    ]);
    expect(await run("review", url, "--post", "--wait")).toMatchObject({ code: 0 });
    expect(posted().length).toBeGreaterThan(0);
    forge.closeRequest(1);
    expect(await run("review", url)).toMatchObject({ code: 1, stderr: expect.stringContaining("is closed") });
    expect(await run("review", "shop#1")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("not the address"),
    });
  });
});

it(
  "code of a stranger runs in the sandbox without network, secrets, copied files and other folders, and neither it nor the agent reaches the forge",
  { timeout: 120_000 },
  async () => {
    forge = await openLoopbackForge({
      kind: "github",
      token: TOKEN,
      files: { "notes.txt": "notes\n", "test.sh": "echo 1 passed\n" },
    });
    const granted = join(forge.repo.path, "granted");
    await mkdir(granted);
    await writeFile(join(forge.repo.checkout, ".env.test"), "SECRET=planted\n");
    await writeFile(join(forge.repo.checkout, ".env.link"), "SECRET=planted\n");
    night = await openNight({
      timeoutMs: 90_000,
      repo: forge.repo,
      remote: forge.bareDir,
      env: { ...process.env, FORGE_TOKEN: TOKEN },
      userSettings: `sandbox: { mode: enforce, write: ["${granted}"], network: [example.com] }\n`,
      agent: `git ls-remote "${forge.remoteUrl}" >/dev/null 2>&1 && echo reached the forge
[ -e .env.test ] || [ -e .env.link ] && echo sees the copied file
printf '%s' '{"outcome":"approved","summary":"Fine.","comments":[]}' > "$OUT"`,
      settings: `forge: { kind: github, url: "${forge.url}", project: team/shop, token_env: FORGE_TOKEN }
workspace: { copy: [.env.test], link: [.env.link] }
checks:
  test: { command: sh test.sh }
`,
    });
    const evil = `exec 2>/dev/null
env | grep -q ${TOKEN} && echo FOUND the token
cat .env.test || cat .env.link && echo FOUND the copied file
echo x > ${granted}/planted && echo FOUND a folder to write
git ls-remote ${forge.remoteUrl} >/dev/null 2>&1 && echo FOUND the forge
env | grep -qi '^https_proxy=' && echo FOUND the network
echo "the check ran"
`;
    const headCommit = await pushAsStranger(forge.repo.path, {
      "notes.txt": "notes\nmore\n",
      "test.sh": evil,
      "nightshift.yaml": "checks:\n  evil: { command: sh evil.sh }\n",
    });
    await forge.openRequest({ branch: "theirs", isFromFork: true, headCommit, author: "eve" });
    const { id } = await night.submit({
      pipeline: "review",
      project: "",
      description: "",
      url: `${forge.url}/team/shop/pull/1`,
    });
    const task = await night.settled(id);
    expect(task).toMatchObject({ state: "approving", headCommit });
    const checks = await night.checks(id);
    expect(checks.find(({ name }) => name === "test")?.tail.trim()).toBe("the check ran");
    expect(checks.map(({ name }) => name)).not.toContain("evil");
    const reviewer = (await night.runs(id)).find(({ role }) => role === "review");
    const { lines } = await night.wired.ports.runFiles.readTranscript(reviewer?.id ?? "", 0, 100_000);
    expect(lines.map(({ text }) => text)).toEqual([]);
    expect(existsSync(join(granted, "planted"))).toBe(false);
    expect(forge.requests.filter((each) => each.kind === "git" || each.method !== "GET")).toEqual([]);
  },
);
