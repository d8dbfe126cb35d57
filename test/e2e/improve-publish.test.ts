import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { hasEnded, type Task } from "../../src/core/task/task.ts";
import { git } from "../../src/testing/temp-repo.ts";
import { NIGHTLY, openNightly, TOKEN, type Nightly, type NightlyOptions } from "./nightly.ts";
import { ALICE } from "./night.ts";
import { branchesOf, expectNothingLeft } from "./nothing-left.ts";

const PATIENCE_MS = 200_000;
const PATIENCE = { timeout: 300_000 };
const CREATES = { gitlab: /merge_requests$/, github: /pulls$/ } as const;

let night: Nightly;

async function open(options: NightlyOptions = {}): Promise<void> {
  night = await openNightly({ patienceMs: PATIENCE_MS, ...options });
}

afterEach(async () => {
  vi.restoreAllMocks();
  await night.close();
}, 60_000);

async function begin(): Promise<string> {
  const { id } = await night.submit({ ...NIGHTLY, improve: { category: "docs", only: true, scheduledAt: null } });
  return id;
}

const tonight = async (): Promise<Task> => night.settled(await begin());
const parked = async (id: string): Promise<Task> => night.until(id, ({ queuedFor }) => queuedFor?.until !== undefined);

/** How often the forge was asked to open a change request. */
function opened(): number {
  const { kind, requests } = night.forge;
  return requests.filter(({ method, path }) => method === "POST" && CREATES[kind].test(path)).length;
}

/** One change request for one commit on top of main, in the branch of the task. */
async function expectOnePublished(task: Task, branch = "night-shift/say-more"): Promise<void> {
  expect(task).toMatchObject({ status: "succeeded", state: "published", branch });
  expect(night.forge.changeRequests.map((request) => [request.branch, request.state])).toEqual([[branch, "open"]]);
  expect(await git(night.repo.remote, "rev-list", "--count", `main..${branch}`)).toBe("1");
  expect(await git(night.repo.remote, "diff", "--name-only", "main", branch)).toBe("notes.txt");
  const proposals = await night.wired.ports.store.ledger.listProposals({
    project: "shop",
    statuses: ["published"],
    limit: 10,
  });
  expect(proposals.map(({ task: id, number }) => [id, number])).toEqual([[task.id, 1]]);
}

/** So much later, for whoever asks the engine's clock: what is parked is let in again. */
function later(ms: number): void {
  vi.spyOn(night.wired.ports.clock, "now").mockImplementation(() => Date.now() + ms);
}

describe("a forge that refuses the change request", PATIENCE, () => {
  it.each([
    ["gitlab", 400, { message: { base: ["Merge requests are closed tonight"] } }, /base Merge requests are closed/],
    [
      "github",
      422,
      { message: "Validation Failed", errors: [{ message: "No commits between main and it" }] },
      /Validation Failed; No commits between main and it/,
    ],
  ] as const)("on %s ends the task with what it said, and nothing counts as published", async (...one) => {
    const [kind, status, body, sentence] = one;
    await open({ kind });
    night.forge.fail({ method: "POST", path: CREATES[kind], status, body, times: 100 });
    const task = await tonight();
    expect(task).toMatchObject({ status: "failed", outcome: "agent_error" });
    expect(task.reason).toMatch(new RegExp(`refused to open the .*\\(status ${status}\\)`));
    expect(task.reason).toMatch(sentence);
    expect(night.forge.changeRequests).toEqual([]);
    const artifacts = await night.wired.ports.store.tasks.listArtifacts(task.id);
    expect(artifacts.filter(({ type }) => type === "change_request")).toEqual([]);
    const proposals = await night.wired.ports.store.ledger.listProposals({
      project: "shop",
      statuses: null,
      limit: 10,
    });
    expect(proposals.filter(({ url }) => url !== null)).toEqual([]);
    // The work is verified and not lost: once the forge is willing again, a retry opens it, for the branch that is there.
    expect(await branchesOf(night)).toEqual(["night-shift/say-more"]);
    night.forge.forget();
    await night.commands.retry(task.id, null, ALICE);
    const again = await night.settled(task.id);
    await expectOnePublished(again);
    expect((await night.runs(task.id)).filter(({ role }) => role === "implement")).toHaveLength(1);
    await expectNothingLeft(night, again);
  });
});

describe("a forge that dies between the push and the change request", PATIENCE, () => {
  it("is waited for; once it is back there is one change request, and the branch was pushed once", async () => {
    await open({ overHttp: true });
    night.forge.dieAfterPush();
    const id = await begin();
    const task = await parked(id);
    expect(task).toMatchObject({ status: "queued", state: "publishing", queuedFor: { kind: "provider" } });
    expect((await night.runs(id)).at(-2)).toMatchObject({ step: "publish", outcome: "provider_down" });
    expect(await branchesOf(night)).toEqual(["night-shift/say-more"]);
    expect(night.forge.changeRequests).toEqual([]);
    const pushed = await git(night.repo.remote, "rev-parse", "night-shift/say-more");
    night.forge.recover();
    later(3_600_000);
    await expectOnePublished(await night.settled(id));
    expect(await git(night.repo.remote, "rev-parse", "night-shift/say-more")).toBe(pushed);
    expect(opened()).toBe(1);
    await expectNothingLeft(night, { id });
  });
});

describe("a branch that somebody else has", PATIENCE, () => {
  it("is left as it is, also where it is in the way of a name: the night's gets a number", async () => {
    await open();
    await night.repo.git("push", "--quiet", "origin", "HEAD~1:refs/heads/night-shift/say-more-2/of-somebody");
    await night.repo.git("push", "--quiet", "origin", "HEAD~1:refs/heads/night-shift/say-more");
    const foreign = await git(night.repo.remote, "rev-parse", "night-shift/say-more");
    const task = await tonight();
    await expectOnePublished(task, "night-shift/say-more-3");
    expect(await git(night.repo.remote, "rev-parse", "night-shift/say-more")).toBe(foreign);
    await expectNothingLeft(night, task);
  });
});

describe("a daemon that dies", { timeout: 900_000 }, () => {
  it("at every checkpoint of every state: one change request, one commit, and each agent worked once", async () => {
    const seen = new Set<string>();
    let steps = 0;
    let isDown = false;
    // As a power cut: whatever comes after writes nothing. A submit that was not acknowledged is another matter.
    const pass = (checkpoint: string): void => {
      if (isDown) throw new Error("power cut");
      if (checkpoint === "submit.committed" || checkpoint === "notice.sent") return;
      const place = `${steps} ${checkpoint}`;
      if (checkpoint === "step.committed") steps += 1;
      if (seen.has(place)) return;
      seen.add(place);
      isDown = true;
      void night.wired.ports.courier.stop();
      throw new Error("power cut");
    };
    await open({
      overHttp: true,
      pass,
      settings: "checks:\n  test: { command: sh test.sh }\n",
      files: { "test.sh": "grep -q ^notes notes.txt\n" },
    });
    const id = await begin();
    for (;;) {
      await vi.waitFor(async () => expect(isDown || hasEnded(await read(id))).toBe(true), {
        timeout: 120_000,
        interval: 20,
      });
      if (!isDown) break;
      await night.wired.ports.courier.stop();
      isDown = false;
      await night.restart();
    }
    expect(seen.size).toBeGreaterThan(40);
    const places = [...seen].map((place) => place.split(" ")[1]);
    expect(places).toContain("branch.pushed");
    expect(places).toContain("request.opened");
    expect(places.filter((place) => place === "run.taken")).toHaveLength(6);
    expect(places.filter((place) => place === "supervisor.started").length).toBeGreaterThanOrEqual(4);
    const task = await read(id);
    await expectOnePublished(task);
    expect(opened()).toBe(1);
    expect((await night.runs(id)).map(({ role, step, outcome }) => [role ?? step, outcome])).toEqual([
      ["analyze", "improvement_found"],
      ["implement", "implemented"],
      ["checks", "checks_passed"],
      ["verify", "verified"],
      ["describe", "described"],
      ["publish", "published"],
    ]);
    const nights = await vi.waitFor(() => readFile(join(night.home, "logs", "nights.jsonl"), "utf8"), 30_000);
    expect(nights.trim().split("\n")).toHaveLength(1);
    await expectNothingLeft(night, task);
  });
});

async function read(id: string): Promise<Task> {
  const task = await night.wired.ports.store.tasks.getTask(id);
  if (task === null) throw new Error(`${id} is gone`);
  return task;
}

describe("limits.open_change_requests", PATIENCE, () => {
  it("ends the night before any agent is started, and names those that are open", async () => {
    await open({ settings: "limits: { open_change_requests: 1 }\n" });
    await night.repo.git("push", "--quiet", "origin", "HEAD:refs/heads/night-shift/old");
    const { number } = await night.forge.openRequest({ branch: "night-shift/old", labels: ["night-shift"] });
    const task = await tonight();
    expect(task).toMatchObject({ status: "succeeded", state: "no_improvement" });
    expect(task.reason).toContain("1 change request is open and limits.open_change_requests is 1");
    expect(task.reason).toContain(`/-/merge_requests/${number}`);
    const [run, ...others] = await night.runs(task.id);
    expect(others).toEqual([]);
    expect(run).toMatchObject({ outcome: "night_over", agent: null, costUsd: 0 });
    expect(await readFile(join(night.home, "runs", run?.id ?? "", "transcript.jsonl"), "utf8").catch(() => null)).toBe(
      null,
    );
    await expectNothingLeft(night, task);
  });
});

describe("a token that will not do", PATIENCE, () => {
  it.each([
    ["missing", {}, /There is no token for .*: \$FORGE_TOKEN is not set\. Make one with the scope "api"/],
    ["expired", { FORGE_TOKEN: "glpat-another-one-of-nobody" }, /refused the token: .* Make a new one with/],
  ])("is told before an agent works, when it is %s, with what to do", async (_, env, sentence) => {
    await open({ env: { FORGE_TOKEN: "", ...env } });
    const id = await begin();
    const task = await parked(id);
    expect(task).toMatchObject({ status: "queued", state: "analyzing", queuedFor: { kind: "login" } });
    const [run] = await night.runs(id);
    expect(run).toMatchObject({ outcome: "login_expired", agent: null });
    expect(run?.error).toMatch(sentence);
    expect(run?.error).not.toContain(TOKEN);
  });

  it("parks the finished change when it lacks a scope, and says which", async () => {
    await open({ scopes: ["read_api"] });
    const id = await begin();
    const task = await parked(id);
    expect(task).toMatchObject({ status: "queued", state: "publishing", queuedFor: { kind: "login" } });
    const run = (await night.runs(id)).findLast(({ outcome }) => outcome !== null);
    expect(run).toMatchObject({ step: "publish", outcome: "login_expired" });
    expect(run?.error).toMatch(/The token may not open the merge request .* It needs the scope "api"/);
    expect(night.forge.changeRequests).toEqual([]);
  });
});
