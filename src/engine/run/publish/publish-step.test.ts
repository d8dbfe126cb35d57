import { afterEach, describe, expect, it } from "vitest";
import {
  ADA,
  openEngineWorld,
  type EngineWorld,
  type EngineWorldOptions,
} from "../../../testing/engine/engine-world.ts";
import { RemoteError } from "../../../core/text/errors.ts";
import type { ScriptedEnd } from "../../../testing/engine/scripted-supervisors.ts";
import { git } from "../../../testing/temp-repo.ts";

let world: EngineWorld;
afterEach(() => world.close());

const CHANGE: ScriptedEnd = {
  files: { "greeting.txt": "hello, world\n" },
  report: { outcome: "implemented", summary: "greets the world" },
};

/** Submits a task and runs it up to the publish step. */
async function readyToPublish(options: Partial<EngineWorldOptions> = {}): Promise<string> {
  world = await openEngineWorld({ script: () => CHANGE, ...options });
  const { id } = await world.submit();
  await world.step(id);
  await world.step(id);
  return id;
}

describe("publish", () => {
  it("pushes one commit on top of the base to the task's branch", async () => {
    const id = await readyToPublish();
    expect(await world.step(id)).toMatchObject({ step: "publish", outcome: "published" });
    const task = await world.ports.store.tasks.getTask(id);
    expect(await git(world.repo.remote, "log", "--format=%an %s", `main..${task?.branch}`)).toMatch(/^[^\n]+$/);
    expect(await git(world.repo.remote, "rev-parse", `${task?.branch}~1`)).toBe(task?.baseCommit);
  });

  it("a second attempt after the push pushes nothing twice and keeps the branch", async () => {
    const stopping = new AbortController();
    const id = await readyToPublish({
      pass: (checkpoint) => {
        if (checkpoint === "branch.pushed") stopping.abort(new Error("the daemon stops"));
      },
    });
    await world.step(id, stopping.signal).catch(() => null);
    const pushed = await git(world.repo.remote, "for-each-ref", "--format=%(refname) %(objectname)");
    expect(pushed).toContain("refs/heads/agent/");
    expect(await world.step(id)).toMatchObject({ outcome: "published" });
    expect(await git(world.repo.remote, "for-each-ref", "--format=%(refname) %(objectname)")).toBe(pushed);
  });

  it("a remote that cannot be reached parks the task and spends no attempt", async () => {
    const id = await readyToPublish({
      over: ({ workspaces }) => ({
        workspaces: { ...workspaces, push: () => Promise.reject(new RemoteError("unreachable", "no route to host")) },
      }),
    });
    expect((await world.step(id))?.outcome).toBe("provider_down");
    const task = await world.ports.store.tasks.getTask(id);
    expect(task).toMatchObject({ status: "queued", queuedFor: { kind: "remote", reason: "no route to host" } });
    expect((await world.runs(id)).at(-1)).toMatchObject({ state: "publishing", attempt: 1 });
  });

  it("an order to cancel before the push leaves the remote unchanged", async () => {
    const id = await readyToPublish();
    await world.commands.cancel(id, ADA);
    await world.drain(id);
    expect((await world.ports.store.tasks.getTask(id))?.status).toBe("cancelled");
    expect(await git(world.repo.remote, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  });
});

/** The agent's branches on the remote. */
const published = () => git(world.repo.remote, "for-each-ref", "--format=%(refname)", "refs/heads/agent");

/** Checks pass on the base commit and fail on the change. */
const failing: EngineWorldOptions["script"] = ({ name, cwd }) =>
  name === "agent" ? CHANGE : cwd.includes("baseline") ? {} : { exitCode: 1, output: "broken" };

describe("publish: only verified commits", () => {
  const settings = "checks:\n  test: { command: npm test }\n";

  /** Runs a task until its checks ended in `end` on the change and on the base. */
  async function checked(end: ScriptedEnd, over: Partial<EngineWorldOptions> = {}): Promise<string> {
    const script: EngineWorldOptions["script"] = ({ name }) => (name === "agent" ? CHANGE : end);
    world = await openEngineWorld({ settings, script, ...over });
    const { id } = await world.submit();
    await world.drain(id);
    return id;
  }

  const missing = { exitCode: 127, output: "uv: not found" };

  it("checks that could not run leave the decision to a person, who must say why", async () => {
    const id = await checked(missing);
    const task = await world.ports.store.tasks.getTask(id);
    expect(task).toMatchObject({ status: "waiting", waitingFor: { kind: "choice" } });
    const options = task?.waitingFor?.kind === "choice" ? task.waitingFor.options.map(({ id: option }) => option) : [];
    expect(options).toEqual(["publish", "repair", "reject"]);
    for (const option of ["publish", "repair"])
      await expect(world.commands.choose(id, { option, note: " " }, ADA)).rejects.toThrow(/needs a reason/);
    expect(await published()).toBe("");
  });

  it("publish continues, and the result says what was not verified and who decided", async () => {
    const id = await checked(missing);
    await world.commands.choose(id, { option: "publish", note: "checked by hand" }, ADA);
    const task = await world.drain(id);
    expect(task).toMatchObject({ status: "succeeded", outcome: "published" });
    const because = /no check gave a result: test: could not run.*ada.*checked by hand/;
    expect(task.reason).toMatch(because);
    expect((await world.runs(id)).at(-1)?.payload).toMatchObject({ unverified: expect.stringMatching(because) });
    expect(await published()).not.toBe("");
  });

  it("repair starts the agent with the reason, even if the repair limit is used up", async () => {
    const id = await checked(missing, { settings: `${settings}repair_attempts: 0\n` });
    await world.commands.choose(id, { option: "repair", note: "use pytest directly" }, ADA);
    expect(await world.ports.store.tasks.getTask(id)).toMatchObject({
      state: "implementing",
      trigger: { kind: "errors" },
    });
    expect((await world.ports.store.tasks.getTask(id))?.trigger?.text).toMatch(/use pytest directly[^]*could not run/);
  });

  it("reject cancels the task and publishes nothing", async () => {
    const id = await checked(missing);
    expect(await world.commands.choose(id, { option: "reject" }, ADA)).toMatchObject({ status: "cancelled" });
    expect(await published()).toBe("");
  });

  it("a decision holds for one commit only", async () => {
    const id = await checked(missing);
    await world.commands.choose(id, { option: "repair", note: "try again" }, ADA);
    await world.step(id);
    await world.step(id);
    expect(await world.ports.store.tasks.getTask(id)).toMatchObject({ status: "waiting", state: "checking" });
  });

  it("a retry from publishing after failed checks waits for a person instead of publishing", async () => {
    const id = await checked({}, { script: failing, settings: `${settings}repair_attempts: 0\n` });
    expect(await world.ports.store.tasks.getTask(id)).toMatchObject({ status: "failed", outcome: "checks_failed" });
    await world.commands.retry(id, { from: "publishing" }, ADA);
    expect(await world.drain(id)).toMatchObject({
      status: "waiting",
      state: "publishing",
      waitingFor: {
        kind: "choice",
        reason: "this commit did not pass the checks: the newest checks ended as checks_failed",
      },
    });
    expect(await published()).toBe("");
    await world.commands.choose(id, { option: "publish", note: "the test is wrong" }, ADA);
    const task = await world.drain(id);
    expect(task).toMatchObject({ status: "succeeded", outcome: "published" });
    expect(task.reason).toMatch(/not verified:.*checks_failed.*ada decided to publish it: the test is wrong/);
  });

  it("a decision does not hold after the same commit was checked again", async () => {
    let isMissing = true;
    const id = await checked(missing, {
      settings: `${settings}repair_attempts: 0\n`,
      script: ({ name, cwd }) =>
        name === "agent" ? CHANGE : isMissing ? missing : cwd.includes("baseline") ? {} : { exitCode: 1 },
    });
    await world.commands.choose(id, { option: "publish", note: "checked by hand" }, ADA);
    await world.commands.cancel(id, ADA);
    isMissing = false;
    await world.commands.retry(id, { from: "checking" }, ADA);
    expect(await world.drain(id)).toMatchObject({ status: "failed", outcome: "checks_failed" });
    await world.commands.retry(id, { from: "publishing" }, ADA);
    expect(await world.drain(id)).toMatchObject({ status: "waiting", state: "publishing" });
    expect(await published()).toBe("");
  });

  it("a decision leaves no remark if the same commit passes the checks later", async () => {
    let isMissing = true;
    const id = await checked(missing, {
      script: ({ name }) => (name === "agent" ? CHANGE : isMissing ? missing : {}),
    });
    await world.commands.choose(id, { option: "publish", note: "checked by hand" }, ADA);
    await world.commands.cancel(id, ADA);
    isMissing = false;
    await world.commands.retry(id, { from: "checking" }, ADA);
    const task = await world.drain(id);
    expect(task).toMatchObject({ status: "succeeded", outcome: "published" });
    expect(task.reason).not.toMatch(/not verified/);
  });

  it("a decision to publish also holds for a commit with a weakened test that a person allowed", async () => {
    const files = { "add.test.js": 'test("adds", () => {});\ntest("adds zero", () => {});\n' };
    const weakened = { ...CHANGE, files: { "add.test.js": 'test("adds", () => {});\n' } };
    const id = await checked(missing, { files, script: ({ name }) => (name === "agent" ? weakened : missing) });
    await world.commands.choose(id, { option: "checking", note: "the rule is gone" }, ADA);
    expect(await world.drain(id)).toMatchObject({ status: "waiting", waitingFor: { about: "checks" } });
    await world.commands.choose(id, { option: "publish", note: "checked by hand" }, ADA);
    expect(await world.drain(id)).toMatchObject({ status: "succeeded", outcome: "published" });
  });

  it.each(["reviewing", "merging"])("a retry from %s is refused before anything was published", async (state) => {
    const id = await checked({}, { script: failing, settings: `${settings}repair_attempts: 0\n` });
    await expect(world.commands.retry(id, { from: state }, ADA)).rejects.toThrow(/not published yet/);
    expect(await world.ports.store.tasks.getTask(id)).toMatchObject({ status: "failed" });
  });
});

const nightBranches = () => git(world.repo.remote, "for-each-ref", "--format=%(refname)", "refs/heads/night-shift");

describe("publish: a change that the verification rejected", () => {
  const ANALYSIS = {
    outcome: "improvement_found",
    summary: "more docs",
    category: "docs",
    candidates: [{ rank: 1, title: "Say more", files: ["docs.md"], description: "d", rationale: "r" }],
    selected: 1,
    slug: "say-more",
  };
  const DESCRIBED = {
    outcome: "described",
    title: "Say more",
    summary: "s",
    reasoning: "r",
    changes: "c",
    commit_message: "Say more",
  };

  /** A night of one category whose verification gives these verdicts, the last one again and again. */
  async function night(verdicts: readonly ("verified" | "verify_failed")[]): Promise<string> {
    const left = [...verdicts];
    const verify = () => ({ outcome: left.length > 1 ? left.shift() : left[0], summary: "this is a backdoor" });
    world = await openEngineWorld({
      settings: "checks:\n  test: { command: npm test }\nimprove: { avoid_recent_commits: 0 }\n",
      script: ({ name, role }) => {
        if (name !== "agent") return {};
        if (role === "implement")
          return { files: { "docs.md": "more\n" }, report: { outcome: "implemented", summary: "done" } };
        return { report: role === "analyze" ? ANALYSIS : role === "verify" ? verify() : DESCRIBED };
      },
    });
    const improve = { category: "docs", only: true, scheduledAt: null } as const;
    return (await world.submit({ pipeline: "improve", improve })).id;
  }

  it("is not published by a retry behind the verification", async () => {
    const id = await night(["verify_failed"]);
    expect(await world.drain(id)).toMatchObject({ status: "failed", state: "abandoned" });
    await world.commands.retry(id, { from: "describing" }, ADA);
    expect(await world.drain(id)).toMatchObject({ status: "failed", state: "abandoned" });
    expect(await nightBranches()).toBe("");
    const { payload, outcome } = (await world.runs(id)).at(-1) ?? {};
    expect([outcome, payload?.["summary"]]).toEqual([
      "checks_inconclusive",
      expect.stringMatching(/verification.*verify_failed/),
    ]);
  });

  it("is published by a retry from the verification that accepts it", async () => {
    const id = await night(["verify_failed", "verify_failed", "verify_failed", "verified"]);
    expect(await world.drain(id)).toMatchObject({ status: "failed", state: "abandoned" });
    await world.commands.retry(id, { from: "verifying" }, ADA);
    expect(await world.drain(id)).toMatchObject({ status: "succeeded", state: "published" });
    expect(await nightBranches()).toContain("say-more");
  });
});
