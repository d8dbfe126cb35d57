import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TaskJson } from "../../src/http/client/client.ts";
import { openLoopbackForge, type LoopbackForge } from "../../src/testing/forges/loopback-forge.ts";
import { git } from "../../src/testing/temp-repo.ts";
import { callHook, HOOK_SECRET, readDaemonUrl } from "../support/call-hook.ts";
import { createUser, type CliResult, type User } from "../support/cli-user.ts";
import { createPlayedAgent, REPORTS, type PlayedAgent } from "../support/play-agent.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const TOKEN = "glpat-Zx81-planted-token-of-the-test";
const WAIT = { timeout: 120_000, interval: 200 };

let user: User;
let agent: PlayedAgent;
let forge: LoopbackForge | null = null;

beforeEach(async () => {
  user = await createUser({ FORGE_TOKEN: TOKEN, HOOK_SECRET });
  agent = createPlayedAgent(user.repo.path);
});

afterEach(async () => {
  await user.cleanUp();
  await forge?.close();
  forge = null;
});

async function setUpProject(settings = ""): Promise<void> {
  const file = `project: shop
agent: mine
agents:
  mine: { kind: command, command: ["${agent.program}"] }
checks:
  content: { command: "test -s greeting.txt" }
${settings}`;
  writeFileSync(join(user.repo.checkout, "nightshift.yaml"), file);
  expect(await user.run("trust", "--yes")).toMatchObject({ code: 0 });
}

async function setUpForge(kind: "github" | "gitlab"): Promise<LoopbackForge> {
  forge = await openLoopbackForge({ kind, token: TOKEN, files: { "greeting.txt": "hello\n" } });
  await user.repo.git("remote", "set-url", "origin", forge.bareDir);
  await user.repo.git("fetch", "--quiet", "origin");
  await user.repo.git("reset", "--quiet", "--hard", "origin/main");
  await setUpProject(
    `forge: { kind: ${kind}, url: "${forge.url}", project: ${forge.project}, token_env: FORGE_TOKEN, webhook_secret_env: HOOK_SECRET }\n`,
  );
  return forge;
}

const show = (id: string): Promise<TaskJson> => user.json<TaskJson>("show", id);

async function submit(...args: readonly string[]): Promise<string> {
  return (await user.json<TaskJson>("submit", "--pipeline", "feature", ...args)).id;
}

async function waitsFor(id: string, kind: string, isNew: (task: TaskJson) => boolean = () => true): Promise<TaskJson> {
  return vi.waitFor(async () => {
    const task = await show(id);
    expect([task.waiting_for?.kind, task.reason]).toEqual([kind, null]);
    expect(isNew(task)).toBe(true);
    return task;
  }, WAIT);
}

async function succeed(...args: readonly string[]): Promise<CliResult> {
  const result = await user.run(...args);
  expect(result, `${args.join(" ")}: ${result.stderr}`).toMatchObject({ code: 0 });
  return result;
}

async function approvePlan(id: string): Promise<void> {
  const { plan_hash: hash } = await waitsFor(id, "approval");
  await succeed("approve", id, "--plan", hash ?? "");
}

const ask = (...questions: readonly object[]) => ({ outcome: "needs_info", summary: "Unclear.", questions });
const AUTH = { id: "auth", question: "Which login?", input: "choice", options: ["token", "session"] };

describe("feature", () => {
  it("two rounds of questions, a plan revised twice, a review with comments, and a merge by hand that a webhook reports", async () => {
    const { changeRequests, merge } = await setUpForge("github");
    agent.play(
      "plan.1",
      ask(
        AUTH,
        { id: "limit", question: "How many?", context: "Per minute.", input: "text" },
        { id: "ipv6", question: "IPv6?", input: "boolean" },
      ),
    );
    agent.play("plan.2", ask({ id: "store", question: "Where is it stored?", input: "text" }));
    agent.play("plan_revision.1", { ...REPORTS.plan, plan: "## Goal\nGreet with a limit.\n" });
    agent.play("plan_revision.2", { ...REPORTS.plan, plan: "## Goal\nGreet with a limit and IPv6.\n" });
    const comments = [
      { file: "greeting.txt", line: 2, severity: "critical", comment: "Whom does it greet?" },
      { file: "no/such/file.txt", line: 7, severity: "nit", comment: "Is this file used?" },
    ];
    agent.play("review.1", { outcome: "changes_requested", summary: "Not yet.", comments });
    const id = await submit("Add rate limiting");

    const asked = await waitsFor(id, "answers");
    expect((await user.run("show", id)).stdout).toContain("Per minute.");
    const refusals = [
      [["nope=1"], 'There is no question "nope". Open questions: auth, limit, ipv6.'],
      [["auth=basic", "limit=5", "ipv6=yes"], 'The answer to "auth" must be one of token, session, not "basic".'],
      [["auth=token", "limit=5", "ipv6=maybe"], 'The answer to "ipv6" must be one of yes, no, not "maybe".'],
      [["auth=token", "limit=", "ipv6=no"], 'Question "limit" has no answer.'],
      [["auth"], "Write answers as <question>=<answer>"],
    ] as const;
    for (const [answers, sentence] of refusals) {
      const refused = await user.run("answer", id, ...answers);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(sentence)]);
    }
    expect((await show(id)).waiting_for).toEqual(asked.waiting_for);
    await succeed("answer", id, "auth=session", "limit=100", "ipv6=no");
    await waitsFor(id, "answers", ({ waiting_for: waiting }) => JSON.stringify(waiting).includes("store"));
    await succeed("answer", id, "store=redis");

    const first = await waitsFor(id, "approval");
    await succeed("revise", id, "Add a limit");
    const second = await waitsFor(id, "approval", ({ plan_hash: hash }) => hash !== first.plan_hash);
    const outdated = await user.run("approve", id, "--plan", first.plan_hash ?? "");
    expect([outdated.code, outdated.stderr]).toEqual([
      1,
      expect.stringContaining("The plan changed since it was shown."),
    ]);
    await succeed("revise", id, "And IPv6");
    const third = await waitsFor(id, "approval", ({ plan_hash: hash }) => hash !== second.plan_hash);
    expect(third.documents.map(({ kind, version }) => `${kind} ${version}`)).toEqual(["plan 1", "plan 2", "plan 3"]);
    expect((await user.run("show", id)).stdout).toMatch(/Changes since version 2[^]*\+ Greet with a limit and IPv6\./);
    await approvePlan(id);

    const reviewed = await waitsFor(id, "merge");
    expect(reviewed.reviews.map(({ verdict }) => verdict)).toEqual(["changes_requested", "approved"]);
    const prompt = readFileSync(join(user.repo.path, "play", "prompt-request_changes.1.md"), "utf8");
    for (const text of ["Whom does it greet?", "Is this file used?", "Greet with a limit and IPv6.", "store", "redis"])
      expect(prompt).toContain(text);
    expect(changeRequests).toMatchObject([{ state: "open", comments: expect.anything() }]);
    expect(JSON.stringify(changeRequests[0]?.comments)).toContain("Is this file used?");

    await merge(1);
    expect(await callHook(user.home, "github")).toBe(202);
    await expect.poll(async () => (await show(id)).status, WAIT).toBe("succeeded");
    expect(await show(id)).toMatchObject({ state: "done", outcome: "merged", change_request: { state: "merged" } });
    const ended = await user.run("merge", id);
    expect([ended.code, ended.stderr]).toEqual([
      1,
      expect.stringMatching(/it has ended \(succeeded\)\.\n→ Possible now: follow-up, delete\./),
    ]);
  });

  it("a change request that a person closed by hand ends as cancelled with the reason, after the forge said so twice", async () => {
    const { closeRequest } = await setUpForge("gitlab");
    const id = await submit("Greet", "--auto-approve");
    await waitsFor(id, "merge");
    closeRequest(1);
    expect(await callHook(user.home, "gitlab")).toBe(202);
    await expect.poll(async () => (await show(id)).status, WAIT).toBe("cancelled");
    const task = await show(id);
    expect(task).toMatchObject({ outcome: "closed", change_request: { state: "closed" } });
    expect(task.reason).toMatch(/merge_requests\/1 was closed/);
  });

  it("a forge that is down is shown by status and by the task, and a merge is noticed when it is back", async () => {
    const { fail, merge } = await setUpForge("github");
    const id = await submit("Greet", "--auto-approve");
    await waitsFor(id, "merge");
    // As often as one request is tried.
    fail({ status: 503, times: 3 });
    expect(await callHook(user.home, "github")).toBe(202);
    const said = /Cannot read what happened to the published changes of shop, first noticed .*: .*503.* Next attempt/;
    await expect.poll(async () => (await user.run("status")).stdout.replaceAll(/\s+/g, " "), WAIT).toMatch(said);
    expect((await user.run("show", id)).stdout.replaceAll(/\s+/g, " ")).toMatch(said);
    await merge(1);
    await expect.poll(async () => (await show(id)).status, WAIT).toBe("succeeded");
    expect((await user.json<{ outages: unknown[] }>("status")).outages).toEqual([]);
  });

  it("a default is assumed at the deadline; flipped in the morning, the superseded work is kept as a ref", async () => {
    await setUpProject();
    const deadline = new Date(Date.now() - 1000).toISOString();
    agent.play("implement.1", ask({ ...AUTH, default: "token", deadline }));
    const id = await submit("Greet", "--auto-approve");
    const assumed = await waitsFor(id, "merge");
    expect(assumed.assumed).toMatchObject([{ question: "auth", answer: "token" }]);
    expect((await user.run("show", id)).stdout).toMatch(
      /assumed at the deadline[^]*nightshift answer \w+ auth=session/,
    );
    const wrong = await user.run("answer", id, "auth=basic");
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("must be one of token, session")]);
    await succeed("answer", id, "auth=session");
    const again = await waitsFor(id, "merge", ({ assumed: left }) => left.length === 0);
    expect(again.runs.filter(({ role }) => role === "implement").map(({ outcome }) => outcome)).toEqual([
      "needs_info",
      "implemented",
      "implemented",
    ]);
    const [kept = ""] = globSync("mirrors/*/rescue.git", { cwd: user.home });
    const refs = await git(join(user.home, kept), "for-each-ref", "--format=%(refname)", "refs/nightshift/superseded");
    expect(refs).toContain(id);
  });

  it("a branch that a person merged with git in a project without a forge ends the task", async () => {
    await setUpProject();
    const { repo } = user;
    const id = await submit("Greet", "--auto-approve");
    const { branch } = await waitsFor(id, "merge");
    await repo.git("fetch", "-q", "origin");
    await repo.git("merge", "-q", "--squash", `origin/${branch ?? ""}`);
    await repo.git("commit", "-qm", "Greet people");
    await repo.git("push", "-q", "origin", "HEAD:main");
    await expect.poll(async () => (await show(id)).status, WAIT).toBe("succeeded");
    expect((await show(id)).reason).toContain("was merged into main by hand");
  });
});

describe("feature: bad input", () => {
  it("a merge without the right to approve and an unknown issue are refused with a sentence, and nothing is lost", async () => {
    await setUpForge("gitlab");
    const id = await submit("Greet", "--auto-approve");
    const before = await waitsFor(id, "merge");
    const { token } = await user.json<{ token: string }>("token", "add", "bob", "--may", "submit");
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const refused = await fetch(`${readDaemonUrl(user.home)}/api/v1/tasks/${id}/merge`, {
      method: "POST",
      headers,
      body: "{}",
    });
    expect(await refused.json()).toMatchObject({ status: 403, detail: expect.stringContaining("approve") });
    expect((await show(id)).waiting_for).toEqual(before.waiting_for);
    const unknown = await user.run("submit", "--pipeline", "feature", "--issue", "99");
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("has no issue 99")]);
    expect(await user.json<unknown[]>("queue")).toHaveLength(1);
  });

  it("a plan of 1 MB is refused with the limit, the agent gets one more chance, and a normal plan is then shown", async () => {
    await setUpProject();
    agent.play("plan.1", { ...REPORTS.plan, plan: "word ".repeat(200_000) });
    const id = await submit("Greet");
    const planned = await waitsFor(id, "approval");
    expect(planned.runs.map(({ outcome }) => outcome)).toEqual(["invalid_output", "plan_complete"]);
    expect(planned.runs[0]?.error).toContain('"plan" must have at most 100000 characters');
    const prompt = readFileSync(join(user.repo.path, "play", "prompt-plan.2.md"), "utf8");
    expect(prompt).toContain('"plan" must have at most 100000 characters');
  });
});
