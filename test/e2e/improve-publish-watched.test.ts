import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { saveProject } from "../../src/engine/commands/save-project.ts";
import { hasEnded, type Task } from "../../src/core/task/task.ts";
import { git } from "../../src/testing/temp-repo.ts";
import { ALICE } from "./night.ts";
import { NIGHTLY, openNightly, type Nightly, type NightlyOptions } from "./nightly.ts";
import { BRANCH, expectNotPublished, grantedTo, publishing } from "./publishing-agent.ts";

const PATIENCE = { timeout: 400_000 };
const SOON = { timeout: 120_000, interval: 50 };
const SEVERAL = "sandbox: { mode: none }\nlimits: { concurrent_runs: 4 }\n";

let night: Nightly;

async function open(script: string, options: NightlyOptions = {}): Promise<void> {
  const agent = publishing(script);
  night = await openNightly({ patienceMs: 250_000, improve: "  publish: agent\n", ...options, agent });
}

afterEach(async () => night.close(), 60_000);

async function begin(): Promise<string> {
  const { id } = await night.submit({ ...NIGHTLY, improve: { category: "docs", only: true, scheduledAt: null } });
  return id;
}

const tonight = async (): Promise<Task> => night.settled(await begin());

const publishers = async (id: string) => (await night.runs(id)).filter(({ role }) => role === "publish");

const isPublishing = ({ state, status }: Task): boolean => state === "publishing" && status === "running";

const aWhile = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 2_000));

const goOn = (what: string): Promise<void> => writeFile(join(night.repo.path, `${what}-goes-on`), "");

const isThere = (what: string): Promise<unknown> =>
  vi.waitFor(() => readFile(join(night.repo.path, what), "utf8"), SOON);

const takenUp = (id: string): Promise<void> =>
  vi.waitFor(async () => {
    const events = await night.wired.ports.store.events.listEvents({ after: 0, task: id, limit: 1000 });
    expect(events.filter(({ summary }) => summary.endsWith("taken up again"))).not.toEqual([]);
  }, SOON);

describe("publish by agent: agent that closes its change request", PATIENCE, () => {
  it("cannot hide what it pushed afterwards", async () => {
    await open('push && URL=$(open_closed) && commit_more && push HEAD; opened "$URL"');
    const task = await tonight();
    expect(task).toMatchObject({ status: "failed", outcome: "policy_failed" });
    const pushed = await git(night.repo.remote, "rev-parse", BRANCH);
    expect(task.reason).toContain(`is NOT what was judged: it is ${pushed}`);
    expect(await publishers(task.id)).toHaveLength(1);
    await expectNotPublished(night, task);
  });

  it("has not published, because the change request was never seen open", async () => {
    await open('push && opened "$(open_closed)"');
    const task = await tonight();
    expect(task).toMatchObject({ status: "failed", outcome: "policy_failed" });
    expect(task.reason).toMatch(/merge_requests\/1 of "night-shift\/say-more" at .* is closed already.*\$FORGE_TOKEN/);
    expect(await publishers(task.id)).toHaveLength(1);
    await expectNotPublished(night, task);
  });

  it("is distinguished from a person who merges a change request that the ledger already has", async () => {
    await open("push && opened $(open_gitlab)");
    night.forge.fail({ method: "PUT", path: /merge_requests\/\d+$/, status: 401, times: 1 });
    const id = await begin();
    await night.until(id, ({ queuedFor }) => queuedFor?.until !== undefined);
    await night.forge.merge(1);
    await night.commands.cancel(id, ALICE);
    await night.settled(id);
    await night.commands.retry(id, "publishing", ALICE);
    expect(await night.settled(id)).toMatchObject({ status: "succeeded", state: "published" });
    expect((await night.runs(id)).at(-1)?.payload?.["summary"]).toContain("It was already merged.");
  });
});

it("publish by agent: two open change requests are an error that names both", PATIENCE, async () => {
  await open("push && open_gitlab elsewhere > /dev/null && opened $(open_gitlab)");
  await night.repo.git("push", "--quiet", "origin", "HEAD:refs/heads/elsewhere");
  const task = await tonight();
  expect(task).toMatchObject({ status: "failed", outcome: "policy_failed" });
  expect(task.reason).toMatch(/has 2 open change requests, allowed is one: .*merge_requests\/2, .*merge_requests\/1\./);
  expect(await publishers(task.id)).toHaveLength(1);
  await expectNotPublished(night, task);
  // Do what the message says.
  night.forge.closeRequest(1);
  await night.commands.retry(task.id, "publishing", ALICE);
  expect(await night.settled(task.id)).toMatchObject({ status: "succeeded", state: "published" });
});

it(
  "publish by agent: a run that was cancelled before its start is not reported to have the token",
  PATIENCE,
  async () => {
    await open("push && opened $(open_gitlab)");
    const { workspaces } = night.wired.ports;
    const readBranch = workspaces.readBranch.bind(workspaces);
    const id = await begin();
    // The last check before the agent's workspace is created.
    const cancelling: typeof readBranch = async (asked) => {
      await night.commands.cancel(id, ALICE);
      return readBranch(asked);
    };
    Object.assign(workspaces, { readBranch: cancelling });
    expect(await night.until(id, hasEnded)).toMatchObject({ status: "cancelled" });
    expect(await publishers(id)).toHaveLength(1);
    expect(await grantedTo(night, { id })).toBe("");
    expect(await readFile(join(night.repo.path, "holders"), "utf8")).not.toContain("publish");
  },
);

it(
  "publish turn: a paused agent keeps its turn; other tasks wait, can be cancelled, and find its change request",
  PATIENCE,
  async () => {
    await open("wait_for publishing; push && opened $(open_gitlab)", { userSettings: SEVERAL });
    const first = await begin();
    await isThere("publishing");
    await night.commands.pause(first, ALICE);
    const [cancelled, second] = [await begin(), await begin()];
    for (const id of [cancelled, second]) await night.until(id, isPublishing);
    await night.commands.cancel(cancelled, ALICE);
    expect(await night.until(cancelled, hasEnded)).toMatchObject({ status: "cancelled" });
    expect(await night.until(first, () => true)).toMatchObject({ status: "paused", state: "publishing" });
    // After a restart, the agent that is already publishing goes first.
    await night.restart();
    for (const id of [first, second]) await takenUp(id);
    await goOn("publishing");
    await night.commands.resume(first, ALICE);
    expect(await night.settled(first)).toMatchObject({ status: "succeeded", state: "published" });
    const other = await night.settled(second);
    expect(other).toMatchObject({ state: "abandoned" });
    expect(other.reason).toContain("the same was published meanwhile");
    expect(night.forge.changeRequests).toHaveLength(1);
    const holders = await readFile(join(night.repo.path, "holders"), "utf8");
    expect(holders.match(/^publish yes$/gm)).toHaveLength(1);
  },
);

it("publish turn: a paused task lets others go first and continues later", PATIENCE, async () => {
  await open("wait_for publishing; push && opened $(open_gitlab)", { userSettings: SEVERAL });
  const first = await begin();
  await isThere("publishing");
  const second = await begin();
  await night.until(second, isPublishing);
  // Wait until it is queued, which is not visible from here.
  await aWhile();
  await night.commands.pause(second, ALICE);
  await goOn("publishing");
  expect(await night.settled(first)).toMatchObject({ state: "published" });
  // Long enough to notice a task that does not wait.
  await aWhile();
  expect(await night.until(second, () => true)).toMatchObject({ status: "paused", state: "publishing" });
  expect(await publishers(second)).toMatchObject([{ outcome: null, finishedAt: null }]);
  await night.commands.resume(second, ALICE);
  expect(await night.settled(second)).toMatchObject({ state: "abandoned" });
  expect(night.forge.changeRequests).toHaveLength(1);
});

it.each([
  ["was taken out of the settings", ""],
  ["cannot be used any more", "forge: { kind: github }\n"],
])(
  "publish turn: the engine does not publish while an agent is publishing whose forge %s",
  PATIENCE,
  async (_, instead) => {
    await open("wait_for publishing; push && opened $(open_gitlab)", { overHttp: true });
    const id = await begin();
    await isThere("publishing");
    const file = join(night.repo.checkout, "nightshift.yaml");
    await writeFile(file, (await readFile(file, "utf8")).replace(/^forge:.*\n/m, instead));
    const { store } = night.wired.ports;
    const project = await store.projects.getProject("shop");
    if (project === null) throw new Error("the project is gone");
    const { wanted } = await night.wired.projectFiles.pendingTrust(project, project.accepted);
    await saveProject(night.wired.ports, { ...project, accepted: wanted }, ALICE);
    await night.restart();
    await takenUp(id);
    const pushes = () =>
      night.forge.requests.filter(({ kind: of, path }) => of === "git" && path === "/git-receive-pack");
    expect(pushes()).toEqual([]);
    await goOn("publishing");
    const task = await night.settled(id);
    expect(task).toMatchObject({ status: "failed", outcome: "policy_failed" });
    expect(task.reason).toMatch(/`forge` was taken out of the settings.*Judged was [0-9a-f]{40}/);
    expect(pushes()).toHaveLength(1);
    expect(night.forge.changeRequests).toHaveLength(1);
    await expectNotPublished(night, task);
  },
);
