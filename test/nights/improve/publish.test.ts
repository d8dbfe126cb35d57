import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { hasEnded, type Task } from "../../../src/core/task/task.ts";
import { git } from "../../../src/testing/temp-repo.ts";
import { NIGHTLY_DRAFT, openNightly, TOKEN, type Nightly, type NightlyOptions } from "../../support/nightly.ts";
import { ALICE } from "../../support/night.ts";
import { branchesOf, expectNothingLeft } from "../../support/cleanup-checks.ts";

const TIMEOUT_MS = 200_000;
const TEST_TIMEOUT = { timeout: 300_000 };
const CREATE_PATHS = { gitlab: /merge_requests$/, github: /pulls$/ } as const;

let night: Nightly;

async function open(options: NightlyOptions = {}): Promise<void> {
  night = await openNightly({ timeoutMs: TIMEOUT_MS, ...options });
}

afterEach(async () => {
  vi.restoreAllMocks();
  await night.close();
}, 60_000);

async function submitNight(): Promise<string> {
  const { id } = await night.submit({ ...NIGHTLY_DRAFT, improve: { category: "docs", only: true, scheduledAt: null } });
  return id;
}

const runNight = async (): Promise<Task> => night.settled(await submitNight());
const waitUntilQueued = async (id: string): Promise<Task> =>
  night.until(id, ({ queuedFor }) => queuedFor?.until !== undefined);

/** Counts the requests to open a change request. */
function countOpenRequests(): number {
  const { kind, requests } = night.forge;
  return requests.filter(({ method, path }) => method === "POST" && CREATE_PATHS[kind].test(path)).length;
}

/** Expects one change request with one commit on top of main in the task's branch. */
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

/** Advances the engine's clock, so that queued tasks continue. */
function advanceClock(ms: number): void {
  vi.spyOn(night.wired.ports.clock, "now").mockImplementation(() => Date.now() + ms);
}

describe("publish: forge that refuses the change request", TEST_TIMEOUT, () => {
  it.each([
    ["gitlab", 400, { message: { base: ["Merge requests are closed tonight"] } }, /base Merge requests are closed/],
    [
      "github",
      422,
      { message: "Validation Failed", errors: [{ message: "No commits between main and it" }] },
      /Validation Failed; No commits between main and it/,
    ],
  ] as const)("on %s ends the task with the forge's message, and nothing counts as published", async (...one) => {
    const [kind, status, body, sentence] = one;
    await open({ kind });
    night.forge.fail({ method: "POST", path: CREATE_PATHS[kind], status, body, times: 100 });
    const task = await runNight();
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
    // The verified work is not lost: when the forge works again, a retry opens the change request for the existing branch.
    expect(await branchesOf(night)).toEqual(["night-shift/say-more"]);
    night.forge.reset();
    await night.commands.retry(task.id, null, ALICE);
    const again = await night.settled(task.id);
    await expectOnePublished(again);
    expect((await night.runs(task.id)).filter(({ role }) => role === "implement")).toHaveLength(1);
    await expectNothingLeft(night, again);
  });
});

describe("publish: forge that fails between the push and the change request", TEST_TIMEOUT, () => {
  it("is retried until it works; there is one change request, and the branch was pushed once", async () => {
    await open({ overHttp: true });
    night.forge.stopAfterPush();
    const id = await submitNight();
    const task = await waitUntilQueued(id);
    expect(task).toMatchObject({ status: "queued", state: "publishing", queuedFor: { kind: "remote" } });
    expect((await night.runs(id)).at(-2)).toMatchObject({ step: "publish", outcome: "provider_down" });
    expect(await branchesOf(night)).toEqual(["night-shift/say-more"]);
    expect(night.forge.changeRequests).toEqual([]);
    const pushed = await git(night.repo.remote, "rev-parse", "night-shift/say-more");
    night.forge.recover();
    advanceClock(3_600_000);
    await expectOnePublished(await night.settled(id));
    expect(await git(night.repo.remote, "rev-parse", "night-shift/say-more")).toBe(pushed);
    expect(countOpenRequests()).toBe(1);
    await expectNothingLeft(night, { id });
  });
});

describe("publish: branch that belongs to someone else", TEST_TIMEOUT, () => {
  it("is not changed; the task's branch gets a number", async () => {
    await open();
    await night.repo.git("push", "--quiet", "origin", "HEAD~1:refs/heads/night-shift/say-more-2/of-someone");
    await night.repo.git("push", "--quiet", "origin", "HEAD~1:refs/heads/night-shift/say-more");
    const foreign = await git(night.repo.remote, "rev-parse", "night-shift/say-more");
    const task = await runNight();
    await expectOnePublished(task, "night-shift/say-more-3");
    expect(await git(night.repo.remote, "rev-parse", "night-shift/say-more")).toBe(foreign);
    await expectNothingLeft(night, task);
  });
});

describe("publish: daemon that crashes", { timeout: 900_000 }, () => {
  it("at every checkpoint of every state: one change request, one commit, and each agent runs once", async () => {
    const seen = new Set<string>();
    let steps = 0;
    let isDown = false;
    // Like a power loss: nothing is written afterwards. A submission that was not acknowledged may be lost.
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
    const id = await submitNight();
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
    expect(countOpenRequests()).toBe(1);
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

describe("publish: limits.open_change_requests", TEST_TIMEOUT, () => {
  it("ends the task before any agent starts, and names the open change requests", async () => {
    await open({ settings: "limits: { open_change_requests: 1 }\n" });
    await night.repo.git("push", "--quiet", "origin", "HEAD:refs/heads/night-shift/old");
    const { number } = await night.forge.openRequest({ branch: "night-shift/old", labels: ["night-shift"] });
    const task = await runNight();
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

describe("publish: invalid forge token", TEST_TIMEOUT, () => {
  it.each([
    ["missing", {}, /There is no token for .*: \$FORGE_TOKEN is not set\. Create one with the scope "api"/],
    ["expired", { FORGE_TOKEN: "glpat-another-invalid-token" }, /refused the token: .* Create a new one with/],
  ])("that is %s is reported before an agent starts, with what to do", async (_, env, sentence) => {
    await open({ env: { FORGE_TOKEN: "", ...env } });
    const id = await submitNight();
    const task = await waitUntilQueued(id);
    expect(task).toMatchObject({ status: "queued", state: "analyzing", queuedFor: { kind: "login" } });
    const [run] = await night.runs(id);
    expect(run).toMatchObject({ outcome: "login_expired", agent: null });
    expect(run?.error).toMatch(sentence);
    expect(run?.error).not.toContain(TOKEN);
  });

  it("that lacks a scope queues the finished change, and the message names the scope", async () => {
    await open({ scopes: ["read_api"] });
    const id = await submitNight();
    const task = await waitUntilQueued(id);
    expect(task).toMatchObject({ status: "queued", state: "publishing", queuedFor: { kind: "login" } });
    const run = (await night.runs(id)).findLast(({ outcome }) => outcome !== null);
    expect(run).toMatchObject({ step: "publish", outcome: "login_expired" });
    expect(run?.error).toMatch(/The token is not allowed to open the merge request .* It needs the scope "api"/);
    expect(night.forge.changeRequests).toEqual([]);
  });
});
