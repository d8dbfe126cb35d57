import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { saveProject } from "../../../src/engine/commands/project-commands.ts";
import { hasEnded, type Task } from "../../../src/core/task/task.ts";
import { git } from "../../../src/testing/temp-repo.ts";
import { ALICE } from "../../support/night.ts";
import { NIGHTLY_DRAFT, openNightly, type Nightly, type NightlyOptions } from "../../support/nightly.ts";
import { BRANCH, expectNotPublished, printGranted, publishingAgent } from "../../support/publishing-agent.ts";

const TEST_TIMEOUT = { timeout: 400_000 };
const WAIT = { timeout: 120_000, interval: 50 };
const CONCURRENT_RUNS = "sandbox: { mode: none }\nlimits: { concurrent_runs: 4 }\n";

let night: Nightly;

async function open(script: string, options: NightlyOptions = {}): Promise<void> {
  const agent = publishingAgent(script);
  night = await openNightly({ timeoutMs: 250_000, improve: "  publish: agent\n", ...options, agent });
}

afterEach(async () => night.close(), 60_000);

async function submitNight(): Promise<string> {
  const { id } = await night.submit({ ...NIGHTLY_DRAFT, improve: { category: "docs", only: true, scheduledAt: null } });
  return id;
}

const runNight = async (): Promise<Task> => night.settled(await submitNight());

const publishRuns = async (id: string) => (await night.runs(id)).filter(({ role }) => role === "publish");

const isPublishing = ({ state, status }: Task): boolean => state === "publishing" && status === "running";

const twoSeconds = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 2_000));

const continueAgent = (what: string): Promise<void> => writeFile(join(night.repo.path, `${what}-continue`), "");

const waitForFile = (what: string): Promise<unknown> =>
  vi.waitFor(() => readFile(join(night.repo.path, what), "utf8"), WAIT);

const waitForAdoption = (id: string): Promise<void> =>
  vi.waitFor(async () => {
    const events = await night.wired.ports.store.events.listEvents({ after: 0, task: id, limit: 1000 });
    expect(events.filter(({ summary }) => summary.endsWith(" continued"))).not.toEqual([]);
  }, WAIT);

describe("publish by agent: agent that closes its change request", TEST_TIMEOUT, () => {
  it("cannot hide what it pushed afterwards", async () => {
    await open('push && URL=$(open_closed) && commit_more && push HEAD; opened "$URL"');
    const task = await runNight();
    expect(task).toMatchObject({ status: "failed", outcome: "policy_failed" });
    const pushed = await git(night.repo.remote, "rev-parse", BRANCH);
    expect(task.reason).toContain(`has a commit that was not checked: ${pushed} instead of `);
    expect(await publishRuns(task.id)).toHaveLength(1);
    await expectNotPublished(night, task);
  });

  it("has not published, because the change request was never seen open", async () => {
    await open('push && opened "$(open_closed)"');
    const task = await runNight();
    expect(task).toMatchObject({ status: "failed", outcome: "policy_failed" });
    expect(task.reason).toMatch(
      /merge_requests\/1 of "night-shift\/say-more" at .* is already closed, .*\$FORGE_TOKEN/,
    );
    expect(await publishRuns(task.id)).toHaveLength(1);
    await expectNotPublished(night, task);
  });

  it("is distinguished from a person who merges a change request that the ledger already has", async () => {
    await open("push && opened $(open_gitlab)");
    night.forge.fail({ method: "PUT", path: /merge_requests\/\d+$/, status: 401, times: 1 });
    const id = await submitNight();
    await night.until(id, ({ queuedFor }) => queuedFor?.until !== undefined);
    await night.forge.merge(1);
    await night.commands.cancel(id, ALICE);
    await night.settled(id);
    await night.commands.retry(id, { from: "publishing" }, ALICE);
    expect(await night.settled(id)).toMatchObject({ status: "succeeded", state: "published" });
    expect((await night.runs(id)).at(-1)?.payload?.["summary"]).toContain("It was already merged.");
  });
});

it("publish by agent: two open change requests are an error that names both", TEST_TIMEOUT, async () => {
  await open("push && open_gitlab elsewhere > /dev/null && opened $(open_gitlab)");
  await night.repo.git("push", "--quiet", "origin", "HEAD:refs/heads/elsewhere");
  const task = await runNight();
  expect(task).toMatchObject({ status: "failed", outcome: "policy_failed" });
  expect(task.reason).toMatch(
    /has 2 open change requests, but only one is allowed: .*merge_requests\/2, .*merge_requests\/1\./,
  );
  expect(await publishRuns(task.id)).toHaveLength(1);
  await expectNotPublished(night, task);
  // Do what the message says.
  night.forge.closeRequest(1);
  await night.commands.retry(task.id, { from: "publishing" }, ALICE);
  expect(await night.settled(task.id)).toMatchObject({ status: "succeeded", state: "published" });
});

it(
  "publish by agent: a run that was cancelled before its start is not reported to have the token",
  TEST_TIMEOUT,
  async () => {
    await open("push && opened $(open_gitlab)");
    const { workspaces } = night.wired.ports;
    const readBranch = workspaces.readBranch.bind(workspaces);
    const id = await submitNight();
    // The last check before the agent's workspace is created.
    const cancelling: typeof readBranch = async (params) => {
      await night.commands.cancel(id, ALICE);
      return readBranch(params);
    };
    Object.assign(workspaces, { readBranch: cancelling });
    expect(await night.until(id, hasEnded)).toMatchObject({ status: "cancelled" });
    expect(await publishRuns(id)).toHaveLength(1);
    expect(await printGranted(night, { id })).toBe("");
    expect(await readFile(join(night.repo.path, "holders"), "utf8")).not.toContain("publish");
  },
);

it(
  "publish turn: a paused agent keeps its turn; other tasks wait, can be cancelled, and find its change request",
  TEST_TIMEOUT,
  async () => {
    await open("wait_for publishing; push && opened $(open_gitlab)", { userSettings: CONCURRENT_RUNS });
    const first = await submitNight();
    await waitForFile("publishing");
    await night.commands.pause(first, ALICE);
    const [cancelled, second] = [await submitNight(), await submitNight()];
    for (const id of [cancelled, second]) await night.until(id, isPublishing);
    await night.commands.cancel(cancelled, ALICE);
    expect(await night.until(cancelled, hasEnded)).toMatchObject({ status: "cancelled" });
    expect(await night.until(first, () => true)).toMatchObject({ status: "paused", state: "publishing" });
    // After a restart, the agent that is already publishing goes first.
    await night.restart();
    for (const id of [first, second]) await waitForAdoption(id);
    await continueAgent("publishing");
    await night.commands.resume(first, ALICE);
    expect(await night.settled(first)).toMatchObject({ status: "succeeded", state: "published" });
    const other = await night.settled(second);
    expect(other).toMatchObject({ state: "abandoned" });
    expect(other.reason).toContain("the same change was published meanwhile");
    expect(night.forge.changeRequests).toHaveLength(1);
    const holders = await readFile(join(night.repo.path, "holders"), "utf8");
    expect(holders.match(/^publish yes$/gm)).toHaveLength(1);
  },
);

it("publish turn: a paused task lets others go first and continues later", TEST_TIMEOUT, async () => {
  await open("wait_for publishing; push && opened $(open_gitlab)", { userSettings: CONCURRENT_RUNS });
  const first = await submitNight();
  await waitForFile("publishing");
  const second = await submitNight();
  await night.until(second, isPublishing);
  // Wait until it is queued, which is not visible from here.
  await twoSeconds();
  await night.commands.pause(second, ALICE);
  await continueAgent("publishing");
  expect(await night.settled(first)).toMatchObject({ state: "published" });
  // Long enough to notice a task that does not wait.
  await twoSeconds();
  expect(await night.until(second, () => true)).toMatchObject({ status: "paused", state: "publishing" });
  expect(await publishRuns(second)).toMatchObject([{ outcome: null, finishedAt: null }]);
  await night.commands.resume(second, ALICE);
  expect(await night.settled(second)).toMatchObject({ state: "abandoned" });
  expect(night.forge.changeRequests).toHaveLength(1);
});

it.each([
  ["was removed from the settings", ""],
  ["cannot be used any more", "forge: { kind: github }\n"],
])(
  "publish turn: the engine does not publish while an agent is publishing whose forge %s",
  TEST_TIMEOUT,
  async (_, instead) => {
    await open("wait_for publishing; push && opened $(open_gitlab)", { overHttp: true });
    const id = await submitNight();
    await waitForFile("publishing");
    const file = join(night.repo.checkout, "nightshift.yaml");
    await writeFile(file, (await readFile(file, "utf8")).replace(/^forge:.*\n/m, instead));
    const { store } = night.wired.ports;
    const project = await store.projects.getProject("shop");
    if (project === null) throw new Error("the project is gone");
    const { wanted } = await night.wired.projectFiles.pendingTrust(project, project.accepted);
    await saveProject(night.wired.ports, { ...project, accepted: wanted }, ALICE);
    await night.restart();
    await waitForAdoption(id);
    const pushes = () =>
      night.forge.requests.filter(({ kind: of, path }) => of === "git" && path === "/git-receive-pack");
    expect(pushes()).toEqual([]);
    await continueAgent("publishing");
    const task = await night.settled(id);
    expect(task).toMatchObject({ status: "failed", outcome: "policy_failed" });
    expect(task.reason).toMatch(/`forge` was removed from the settings.*Check that the branch is at [0-9a-f]{40}/);
    expect(pushes()).toHaveLength(1);
    expect(night.forge.changeRequests).toHaveLength(1);
    await expectNotPublished(night, task);
  },
);
