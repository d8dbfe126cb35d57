import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { TaskJson } from "../../src/http/client/client.ts";
import { openLoopbackForge, type LoopbackForge } from "../../src/testing/forges/loopback-forge.ts";
import { git, writeFiles } from "../../src/testing/temp-repo.ts";
import { callHook, HOOK_SECRET } from "../support/call-hook.ts";
import { createUser, type User } from "../support/cli-user.ts";
import { createPlayedAgent, REPORTS, type PlayedAgent } from "../support/play-agent.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const TOKEN = "glpat-Zx81-planted-token-of-the-test";
const WAIT = { timeout: 120_000, interval: 200 };

let user: User;
let agent: PlayedAgent;
let forge: LoopbackForge | null = null;

afterEach(async () => {
  await user.cleanUp();
  await forge?.close();
  forge = null;
});

/** `program`: the agent to use instead of the one whose reports are played. */
async function setUp(settings: string, program?: (played: string) => string): Promise<void> {
  user = await createUser({ FORGE_TOKEN: TOKEN, HOOK_SECRET });
  agent = createPlayedAgent(user.repo.path);
  const path = join(user.repo.path, "agent-of-test.sh");
  writeFileSync(path, program?.(agent.program) ?? `#!/bin/sh\nexec ${agent.program}\n`, { mode: 0o755 });
  const file = `project: shop
agent: mine
agents:
  mine: { kind: command, command: ["${path}"] }
checks:
  content: { command: "test -s greeting.txt" }
${settings}`;
  writeFileSync(join(user.repo.checkout, "nightshift.yaml"), file);
}

async function trust(): Promise<void> {
  expect(await user.run("trust", "--yes")).toMatchObject({ code: 0 });
}

const show = (id: string): Promise<TaskJson> => user.json<TaskJson>("show", id);

async function submit(): Promise<string> {
  return (await user.json<TaskJson>("submit", "--pipeline", "feature", "--auto-approve", "Greet")).id;
}

const hasStopped = ({ status, waiting_for: waiting }: TaskJson): boolean =>
  waiting !== null || ["succeeded", "failed", "cancelled"].includes(status);

async function stopped(id: string, isDone = hasStopped): Promise<TaskJson> {
  return vi.waitFor(async () => {
    const task = await show(id);
    expect(isDone(task), `${task.status} in ${task.state}`).toBe(true);
    return task;
  }, WAIT);
}

const runsOf = ({ runs }: TaskJson, role: string) => runs.filter((run) => run.role === role);

describe("a verdict", () => {
  it("that asks for changes each time is worked in three times, and then a person decides with a reason", async () => {
    await setUp("gates: { merge: auto }\n");
    await trust();
    const comments = [{ file: "greeting.txt", line: 1, severity: "critical", comment: "Whom?" }];
    agent.play("review", { outcome: "changes_requested", summary: "Still not.", comments });
    const id = await submit();
    const task = await stopped(id, (now) => now.waiting_for?.kind === "merge" && now.waiting_for.problem !== null);
    expect(runsOf(task, "request_changes")).toHaveLength(3);
    expect(task.reviews.map(({ verdict }) => verdict)).toEqual(Array.from({ length: 4 }, () => "changes_requested"));
    expect((await user.run("show", id)).stdout).toContain("The review did not approve this commit: Still not.");
    const { repo } = user;
    expect(await git(repo.remote, "ls-tree", "--name-only", "main")).not.toContain("greeting.txt");
    const refused = await user.run("merge", id);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--note")]);
    expect(await user.run("merge", id, "--note", "good enough")).toMatchObject({ code: 0 });
    expect(await git(repo.remote, "show", "main:greeting.txt")).toContain("implement 1");
  });

  it("that an author reports about its own work fails the task, and nothing is published", async () => {
    await setUp("gates: { merge: auto }\n");
    await trust();
    agent.play("implement", REPORTS.approved);
    const task = await stopped(await submit());
    expect(task).toMatchObject({ status: "failed", outcome: "invalid_output", reviews: [] });
    expect(runsOf(task, "review")).toEqual([]);
    expect(await user.repo.git("ls-remote", "--heads", "origin", "agent/*")).toBe("");
  });

  it("for an older commit does not count: commits that came during the review are checked and reviewed before the merge", async () => {
    forge = await openLoopbackForge({ kind: "github", token: TOKEN, files: { "greeting.txt": "hello\n" } });
    const { bareDir, url, project } = forge;
    await setUp(
      `gates: { merge: auto }
forge: { kind: github, url: "${url}", project: ${project}, token_env: FORGE_TOKEN, webhook_secret_env: HOOK_SECRET, react: { quiet: 1s } }
`,
      // The first review lasts until it is released.
      (played) => `#!/bin/sh
dir=$(dirname "$0")
if [ "$NIGHTSHIFT_ROLE.$NIGHTSHIFT_ATTEMPT" = review.1 ]; then
  touch "$dir/reviewing"; until [ -e "$dir/release" ]; do sleep 0.1; done
fi
exec ${played}
`,
    );
    const { repo } = user;
    await repo.git("remote", "set-url", "origin", bareDir);
    await repo.git("fetch", "--quiet", "origin");
    await repo.git("reset", "--quiet", "--hard", "origin/main");
    await trust();
    const id = await submit();
    await expect.poll(() => existsSync(join(repo.path, "reviewing")), WAIT).toBe(true);
    const { branch } = await show(id);
    await pushAsPerson(bareDir, branch ?? "");
    writeFileSync(join(repo.path, "release"), "");

    await expect
      .poll(
        async () => {
          forge?.ci(1, "passed");
          return [await callHook(user.home, "github"), (await show(id)).status];
        },
        { ...WAIT, interval: 1000 },
      )
      .toEqual([202, "succeeded"]);
    const task = await show(id);
    expect(task).toMatchObject({ outcome: "merged", change_request: { state: "merged" } });
    expect(runsOf(task, "review")).toHaveLength(2);
    expect(new Set(task.reviews.map(({ commit }) => commit)).size).toBe(2);
    const second = readFileSync(join(repo.path, "play", "prompt-review.2.md"), "utf8");
    expect(second).toContain("by hand");
    expect(await git(bareDir, "show", "main:theirs.txt")).toBe("by hand");
  });
});

async function pushAsPerson(bareDir: string, branch: string): Promise<void> {
  const clone = join(user.repo.path, "person");
  await git(user.repo.path, "clone", "--quiet", "--branch", branch, bareDir, clone);
  await writeFiles(clone, { "theirs.txt": "by hand\n" });
  await git(clone, "add", ".");
  await git(clone, "-c", "user.name=Bob", "-c", "user.email=bob@example.com", "commit", "-qm", "by a person");
  await git(clone, "push", "--quiet", "origin", branch);
}
