import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { openLoopbackForge, type LoopbackForge } from "../../src/testing/forges/loopback-forge.ts";
import { git } from "../../src/testing/temp-repo.ts";
import { BIN, createUser, type CliResult, type User } from "../support/cli-user.ts";

const execute = promisify(execFile);
const TOKEN = "glpat-Zx81-planted-token-of-the-test";
const WAIT = { timeout: 100_000, interval: 200 };

const AGENT = `#!/bin/sh
cat > /dev/null
report() { printf '%s' "$1" > "$NIGHTSHIFT_OUTCOME_FILE"; }
case $NIGHTSHIFT_ROLE in
  review) report '{"outcome":"approved","summary":"fine","comments":[]}';;
  *) echo more >> notes.txt; report '{"outcome":"implemented","summary":"said more"}';;
esac
`;

let user: User;
let forge: LoopbackForge;

afterEach(async () => {
  await user.cleanUp();
  await forge.close();
}, 60_000);

interface ProjectOptions {
  readonly kind?: "github" | "gitlab";
  readonly gate?: "person" | "auto";
}

async function setUpProject({ kind = "github", gate = "person" }: ProjectOptions = {}): Promise<void> {
  user = await createUser();
  forge = await openLoopbackForge({ kind, token: TOKEN, files: { "notes.txt": "notes\n" } });
  const { repo } = user;
  await repo.git("remote", "set-url", "origin", forge.bareDir);
  await repo.git("fetch", "--quiet", "origin");
  await repo.git("reset", "--quiet", "--hard", "origin/main");
  const agent = join(repo.path, "author.sh");
  await writeFile(agent, AGENT, { mode: 0o755 });
  await writeFile(
    join(repo.checkout, "nightshift.yaml"),
    `project: shop
agent: mine
agents:
  mine: { kind: command, command: ["${agent}"] }
checks:
  notes: { command: "test -s notes.txt" }
gates: { merge: ${gate} }
forge: { kind: ${kind}, url: "${forge.url}", project: ${forge.project}, token_env: FORGE_TOKEN }
`,
  );
}

/** Runs the CLI. A daemon that it starts gets this environment, too. */
async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CliResult> {
  const options = {
    cwd: user.repo.checkout,
    env: { ...user.env, FORGE_TOKEN: TOKEN, ...env },
    timeout: 100_000,
  };
  try {
    return { code: 0, ...(await execute(process.execPath, [BIN, ...args], options)) };
  } catch (error) {
    const { code, stdout, stderr } = error as CliResult;
    return { code, stdout, stderr };
  }
}

interface TaskView {
  readonly id: string;
  readonly status: string;
  readonly state: string;
  readonly waiting_for: { readonly kind: string } | null;
  readonly change_request: { readonly number: number; readonly state: string } | null;
}

async function show(id: string): Promise<TaskView> {
  return JSON.parse((await run(["show", id, "--json"])).stdout) as TaskView;
}

/** Submits a chore, and waits until it is published and reviewed. */
async function submit(env: Readonly<Record<string, string>> = {}): Promise<string> {
  const trusted = await run(["trust", "--yes"], env);
  expect(trusted).toMatchObject({ code: 0 });
  const submitted = await run(["submit", "--pipeline", "chore", "Say more", "--json"], env);
  expect(submitted).toMatchObject({ code: 0 });
  return (JSON.parse(submitted.stdout) as TaskView).id;
}

async function submitUntilMerge(env: Readonly<Record<string, string>> = {}): Promise<string> {
  const id = await submit(env);
  await expect.poll(async () => (await show(id)).waiting_for?.kind, WAIT).toBe("merge");
  return id;
}

/** The review is a comment, too. */
const commentsWith = (text: string): readonly string[] =>
  (forge.changeRequests[0]?.comments ?? []).map(({ body }) => body).filter((body) => body.includes(text));

const notes = (): Promise<string> => git(forge.bareDir, "show", "main:notes.txt");

describe("merge", () => {
  it.each(["github", "gitlab"] as const)("a person merges the reviewed commit at %s", async (kind) => {
    await setUpProject({ kind });
    const id = await submitUntilMerge();
    expect((await run(["show", id])).stdout).toContain("nightshift merge");
    forge.ci(1, "failed");
    const red = await run(["merge", id]);
    expect([red.code, red.stderr]).toEqual([expect.any(Number), expect.stringMatching(/CI of .* failed/)]);
    expect(red.code).not.toBe(0);
    forge.ci(1, "passed");
    forge.mergeRules.methods = ["squash"];
    const refused = await run(["merge", id, "--method", kind === "github" ? "rebase" : "merge"]);
    expect(refused.stderr).toMatch(/does not allow the merge method[^]*Allowed: squash/);
    expect(await notes()).toBe("notes");
    const merged = await run(["merge", id, "--note", "looks good"]);
    expect(merged).toMatchObject({ code: 0 });
    expect(await show(id)).toMatchObject({ status: "succeeded", change_request: { state: "merged" } });
    expect(await notes()).toBe("notes\nmore");
    expect(commentsWith("looks good")).toHaveLength(1);
    expect((await run(["merge", id])).stderr).toContain("it has ended (succeeded)");
  });

  it("a head that moved is refused", async () => {
    await setUpProject();
    const id = await submitUntilMerge();
    const { branch = "" } = forge.changeRequests[0] ?? {};
    const other = await git(forge.bareDir, "commit-tree", "-p", branch, "-m", "by a person", `${branch}^{tree}`);
    await git(forge.bareDir, "update-ref", `refs/heads/${branch}`, other);
    const refused = await run(["merge", id]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("has other commits than the reviewed one");
    expect(await notes()).toBe("notes");
  });

  it("a rejection closes the change request with the reason", async () => {
    await setUpProject({ kind: "gitlab" });
    const id = await submitUntilMerge();
    expect(await run(["reject", id, "not worth it"])).toMatchObject({ code: 0 });
    await expect.poll(async () => (await show(id)).change_request?.state, WAIT).toBe("closed");
    expect(await show(id)).toMatchObject({ status: "cancelled" });
    expect(forge.changeRequests).toMatchObject([{ state: "closed" }]);
    expect(commentsWith("not worth it")).toHaveLength(1);
  });

  it("gates.merge: auto merges by itself when CI passed", async () => {
    await setUpProject({ gate: "auto" });
    const id = await submit();
    await expect.poll(() => forge.changeRequests.length, WAIT).toBe(1);
    forge.ci(1, "passed");
    await expect.poll(async () => (await show(id)).status, WAIT).toBe("succeeded");
    expect(await notes()).toBe("notes\nmore");
  });

  it("a daemon that is killed after the merge ends the task when it starts again, and merges once", async () => {
    await setUpProject({ kind: "gitlab" });
    const id = await submitUntilMerge({ NIGHTSHIFT_CRASH_AT: "change.merged:1" });
    await run(["merge", id]);
    expect(forge.changeRequests).toMatchObject([{ state: "merged" }]);
    await expect.poll(async () => (await show(id)).status, WAIT).toBe("succeeded");
    expect(await git(forge.bareDir, "rev-list", "--count", "main")).toBe("2");
  });
});
