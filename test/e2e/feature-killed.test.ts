import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import type { DaemonFile } from "../../src/daemon/daemon-file.ts";
import { createClient, type EventJson, type TaskJson } from "../../src/http/client/client.ts";
import { openLoopbackForge, type LoopbackForge } from "../../src/testing/forges/loopback-forge.ts";
import { git } from "../../src/testing/temp-repo.ts";
import { BIN, createUser, type User } from "./cli-user.ts";
import { filesBelow } from "./cleanup-checks.ts";

const execute = promisify(execFile);
const TOKEN = "glpat-Zx81-planted-token-of-the-test";
const WAIT = { timeout: 120_000, interval: 50 };

let user: User;
let forge: LoopbackForge;

afterEach(async () => {
  await user.cleanUp();
  await forge.close();
}, 60_000);

/** Each agent and each check notes that it started, and waits until it is released. */
const gated = (dir: string, name: string): string =>
  `echo ${name} >> ${dir}/started; until [ -e ${dir}/release-${name} ]; do sleep 0.05; done`;

const agentProgram = (dir: string): string => `#!/bin/sh
cat > /dev/null
${gated(dir, "$NIGHTSHIFT_ROLE")}
report() { printf '%s' "$1" > "$NIGHTSHIFT_OUTCOME_FILE"; }
case $NIGHTSHIFT_ROLE in
  design) report '{"outcome":"design_ready","design":"A line more.","summary":"a design"}';;
  plan) report '{"outcome":"plan_complete","plan":"Add a line.","plan_summary":"a plan","subtasks":[]}';;
  review) report '{"outcome":"approved","summary":"fine","comments":[]}';;
  *) echo more >> notes.txt; report '{"outcome":"implemented","summary":"said more"}';;
esac
`;

async function setUpProject(): Promise<void> {
  user = await createUser();
  forge = await openLoopbackForge({ kind: "gitlab", token: TOKEN, files: { "notes.txt": "notes\n" } });
  const { repo } = user;
  await repo.git("remote", "set-url", "origin", forge.bareDir);
  await repo.git("fetch", "--quiet", "origin");
  await repo.git("reset", "--quiet", "--hard", "origin/main");
  const agent = join(repo.path, "gated.sh");
  await writeFile(agent, agentProgram(repo.path), { mode: 0o755 });
  await writeFile(
    join(repo.checkout, "nightshift.yaml"),
    `project: shop
agent: mine
agents:
  mine: { kind: command, command: ["${agent}"] }
checks:
  quick: { command: "test -s notes.txt" }
  slow: { command: "${gated(repo.path, "check")}" }
forge: { kind: gitlab, url: "${forge.url}", project: ${forge.project}, token_env: FORGE_TOKEN }
`,
  );
}

/** Runs the CLI. A daemon that it starts kills itself at `crashAt`. */
async function call(args: readonly string[], crashAt = ""): Promise<string> {
  const env = { ...user.env, FORGE_TOKEN: TOKEN, NIGHTSHIFT_CRASH_AT: crashAt };
  return (await execute(process.execPath, [BIN, ...args], { cwd: user.repo.checkout, env, timeout: 100_000 })).stdout;
}

function findDaemon(): number | null {
  const file = join(user.home, "daemon.json");
  if (!existsSync(file)) return null;
  const { pid } = JSON.parse(readFileSync(file, "utf8")) as { pid: number };
  try {
    process.kill(pid, 0);
    return pid;
  } catch {
    return null;
  }
}

async function waitForDeath(): Promise<void> {
  await expect.poll(findDaemon, WAIT).toBeNull();
}

async function killDaemon(): Promise<void> {
  const pid = findDaemon();
  if (pid !== null) process.kill(pid, "SIGKILL");
  await waitForDeath();
}

const started = (): readonly string[] => {
  const file = join(user.repo.path, "started");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};
const release = (name: string): void => writeFileSync(join(user.repo.path, `release-${name}`), "");
const show = async (id: string): Promise<TaskJson> => JSON.parse(await call(["show", id, "--json"])) as TaskJson;

/** Kills the daemon while this agent or check works, starts another one, and lets the work continue. */
async function killDuring(name: string, crashAt = ""): Promise<void> {
  await expect.poll(started, WAIT).toContain(name);
  await killDaemon();
  await call(["start"], crashAt);
  release(name);
}

/** Kills the daemon while the task waits in this state, and starts another one. */
async function killWhileWaiting(id: string, state: string, crashAt = ""): Promise<TaskJson> {
  const look = async (): Promise<string> => {
    const task = await show(id);
    return `${task.status} in ${task.state}`;
  };
  await expect.poll(look, WAIT).toBe(`waiting in ${state}`);
  await killDaemon();
  await call(["start"], crashAt);
  expect(await look()).toBe(`waiting in ${state}`);
  return show(id);
}

async function approve(task: TaskJson): Promise<void> {
  await call([
    "approve",
    task.id,
    "--plan",
    task.waiting_for?.kind === "approval" ? `${task.waiting_for.plan_hash}` : "",
  ]);
}

async function listEvents(id: string): Promise<readonly EventJson[]> {
  const { url, token } = JSON.parse(readFileSync(join(user.home, "daemon.json"), "utf8")) as DaemonFile;
  const client = createClient({ url, token });
  return (await client.call("GET /tasks/:id/events", { params: { id }, query: { limit: 1000 } })).events;
}

describe("feature: daemon that is killed", { timeout: 900_000 }, () => {
  it("in each state: the task ends as usual, and nothing happens twice", async () => {
    await setUpProject();
    await call(["init", "--yes", "--no-run"]);
    const submitted = await call(["submit", "--pipeline", "feature", "--design", "Say more", "--json"]);
    const { id } = JSON.parse(submitted) as TaskJson;
    await killDuring("design");
    await approve(await killWhileWaiting(id, "design_review"));
    await killDuring("plan");
    await approve(await killWhileWaiting(id, "plan_review"));
    await killDuring("implement");
    await killDuring("check", "branch.pushed:1");
    await waitForDeath(); // publishing, after the push
    await call(["start"], "request.opened:1").catch(() => "");
    await waitForDeath(); // publishing, after the change request was opened
    await call(["start"]);
    await killDuring("review");
    await killWhileWaiting(id, "merging", "change.merged:1");
    await call(["merge", id]).catch(() => "");
    await waitForDeath(); // after the merge
    await call(["start"]);
    await expect.poll(async () => (await show(id)).status, WAIT).toBe("succeeded");

    expect(started()).toEqual(["design", "plan", "implement", "check", "review"]);
    const events = await listEvents(id);
    expect(events.filter(({ type }) => type === "task.state").map(({ data }) => data["to"])).toEqual([
      "design_review",
      "planning",
      "plan_review",
      "implementing",
      "checking",
      "publishing",
      "reviewing",
      "merging",
      "done",
    ]);
    const checks = events.filter(({ type, data }) => type.startsWith("check.") && data["log"] !== undefined);
    expect(checks.map(({ summary }) => summary)).toEqual([
      "check quick started",
      "check quick: passed",
      "check slow started",
      "check slow: passed",
    ]);
    const runs = events.filter(({ type }) => type === "run.started" || type === "run.ended");
    expect(new Set(runs.map(({ type, run }) => `${type} ${run}`)).size).toBe(runs.length);
    expect((await show(id)).runs).toHaveLength(6);
    expect(forge.changeRequests).toMatchObject([{ state: "merged" }]);
    expect(await git(forge.bareDir, "show", "main:notes.txt")).toBe("notes\nmore");
    await expect.poll(() => filesBelow(join(user.home, "workspaces")), WAIT).toEqual([]);
  });
});
