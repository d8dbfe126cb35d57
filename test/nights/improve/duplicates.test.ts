import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Proposal } from "../../../src/core/nightly/proposal.ts";
import type { Artifact, Task } from "../../../src/core/task/task.ts";
import { createTempRepo, git } from "../../../src/testing/temp-repo.ts";
import { ALICE, openNight, type Night } from "../../support/night.ts";
import {
  NIGHTLY_DRAFT,
  openNightly,
  REPORT_FUNCTIONS,
  type Nightly,
  type NightlyOptions,
} from "../../support/nightly.ts";

const TIMEOUT_MS = 200_000;
const TEST_TIMEOUT = { timeout: 400_000 };
const METADATA_PATHS = /labels$|requested_reviewers$|merge_requests\/\d+$/;

let night: Night;

afterEach(async () => {
  await night.close();
}, 60_000);

async function open(options: NightlyOptions = {}): Promise<Nightly> {
  const opened = await openNightly({ timeoutMs: TIMEOUT_MS, ...options });
  night = opened;
  return opened;
}

async function submitNight(): Promise<string> {
  const { id } = await night.submit({ ...NIGHTLY_DRAFT, improve: { category: "docs", only: true, scheduledAt: null } });
  return id;
}

const runNight = async (): Promise<Task> => night.settled(await submitNight());

function ledger(): Promise<readonly Proposal[]> {
  return night.wired.ports.store.ledger.listProposals({ project: "shop", statuses: ["published"], limit: 100 });
}

async function requestsOf(id: string): Promise<readonly Artifact[]> {
  const artifacts = await night.wired.ports.store.tasks.listArtifacts(id);
  return artifacts.filter(({ type }) => type === "change_request");
}

/** Adds a unique line. `describe` and `verify` wait for a file that the test creates. */
const WAITING_AGENT = `HERE=$(dirname "$0")
wait_for() { touch "$HERE/$1-$NIGHTSHIFT_RUN_ID"; while [ ! -e "$HERE/$1-continue" ]; do sleep 0.1; done; }
case $ROLE in
  analyze) found "Say more" notes.txt;;
  implement) echo more >> notes.txt; implemented "said more";;
  verify) wait_for verify; verified;;
  describe) wait_for describe; described "Say more in the notes";;
esac`;

const continueAgents = (what: string): Promise<void> => writeFile(join(night.repo.path, `${what}-continue`), "");

describe("publish: open change request", TEST_TIMEOUT, () => {
  it("counts as published even if the forge rejects labels and reviewers", async () => {
    const { forge } = await open({ kind: "github", settings: "limits: { open_change_requests: 1 }\n" });
    forge.fail({ method: "POST", path: METADATA_PATHS, status: 503, times: 100 });
    const task = await runNight();
    expect(task).toMatchObject({ status: "succeeded", state: "published" });
    expect(forge.changeRequests).toMatchObject([{ state: "open", labels: [], reviewers: [] }]);
    expect((await night.runs(task.id)).at(-1)?.payload?.["summary"]).toMatch(/labels night-shift, docs were not added/);
    // A change request without the label counts too.
    const next = await runNight();
    expect(next).toMatchObject({ state: "no_improvement" });
    expect(next.reason).toMatch(/1 change request is open and limits.open_change_requests is 1.*\/pull\/1/);
  });

  it("is recorded and reported even if the token is refused afterwards, and is reused if it was merged since", async () => {
    const { forge } = await open();
    forge.fail({ method: "PUT", path: METADATA_PATHS, status: 401, times: 1 });
    const id = await submitNight();
    await night.until(id, ({ queuedFor }) => queuedFor?.until !== undefined);
    expect(await ledger()).toMatchObject([{ task: id, number: 1, patch: expect.any(String) }]);
    expect(await requestsOf(id)).toMatchObject([
      { data: { number: 1 }, url: forge.changeRequests[0] && expect.any(String) },
    ]);
    await forge.merge(1);
    await night.commands.cancel(id, ALICE);
    await night.settled(id);
    await night.commands.retry(id, { from: "publishing" }, ALICE);
    const task = await night.settled(id);
    expect(task).toMatchObject({ status: "succeeded", state: "published" });
    expect((await night.runs(id)).at(-1)?.payload?.["summary"]).toContain("It was already merged.");
    expect(forge.changeRequests).toHaveLength(1);
    expect(await requestsOf(id)).toHaveLength(1);
  });
});

describe("publish: two concurrent tasks", TEST_TIMEOUT, () => {
  it("publish the same change once", async () => {
    const { forge } = await open({
      agent: WAITING_AGENT,
      userSettings: "sandbox: { mode: none }\nlimits: { concurrent_runs: 4 }\n",
    });
    const ids = [await submitNight(), await submitNight()];
    await continueAgents("verify");
    for (const id of ids) await night.until(id, ({ state, status }) => state === "describing" && status === "running");
    await continueAgents("describe");
    const tasks = await Promise.all(ids.map((id) => night.settled(id)));
    expect(tasks.map(({ state }) => state).toSorted()).toEqual(["abandoned", "published"]);
    expect(forge.changeRequests).toHaveLength(1);
    const lost = tasks.find(({ state }) => state === "abandoned");
    expect(lost?.reason).toMatch(/the same change was published meanwhile: "Say more" is still open \(http.*\/1\)/);
    expect((await night.runs(lost?.id ?? "")).filter(({ role }) => role === "implement")).toHaveLength(1);
    expect(await git(night.repo.remote, "for-each-ref", "--format=%(refname:short)", "refs/heads/night-shift")).toBe(
      "night-shift/say-more",
    );
  });
});

describe("publish: default branch that moves after the checks", TEST_TIMEOUT, () => {
  it("does not change what is published: it is the checked commit", async () => {
    await open({
      agent: WAITING_AGENT,
      settings: "checks:\n  test: { command: sh test.sh }\n",
      files: { "test.sh": "grep -q ^notes notes.txt\n" },
    });
    const before = await git(night.repo.remote, "rev-parse", "main");
    const id = await submitNight();
    await night.until(id, ({ state, status }) => state === "verifying" && status === "running");
    await night.repo.commit({ "other.txt": "moved\n" }, "moved");
    await continueAgents("verify");
    await night.until(id, ({ state, status }) => state === "describing" && status === "running");
    await night.repo.commit({ "other.txt": "moved again\n" }, "moved again");
    await continueAgents("describe");
    const task = await night.settled(id);
    expect(task).toMatchObject({ state: "published", baseCommit: before });
    const checked = (await night.runs(id)).filter(({ step }) => step === "checks");
    expect(checked.map(({ payload }) => payload?.["commit"])).toEqual([task.headCommit]);
    expect(await git(night.repo.remote, "rev-parse", `${task.branch}^`)).toBe(before);
  });
});

describe("publish: project without a forge", TEST_TIMEOUT, () => {
  it("does not get the same change every night, and gets a limited number of branches", async () => {
    const repo = await createTempRepo({ "notes.txt": "notes\n", "other.txt": "other\n" });
    for (const name of ["one", "two", "three"]) await repo.commit({ [`recent-${name}.txt`]: name }, name);
    night = await openNight({
      repo,
      timeoutMs: TIMEOUT_MS,
      agent: `${REPORT_FUNCTIONS}
TITLE=$(cat "$(dirname "$0")/title"); case $ROLE in
  analyze) report '{"outcome":"improvement_found","category":"docs","candidates":[{"rank":1,"title":"'"$TITLE"'","files":["notes.txt"],"description":"d","rationale":"r"}],"selected":1}';;
  implement) echo "$TITLE" >> notes.txt; implemented x;;
  verify) verified;;
  describe) described "$TITLE";;
esac`,
      settings: "improve: { avoid_recent_commits: 3 }\nlimits: { open_change_requests: 2 }\n",
    });
    const writeTitle = (title: string): Promise<void> => writeFile(join(repo.path, "title"), title);
    await writeTitle("Explain the stock");
    const first = await runNight();
    expect(first).toMatchObject({ state: "published", branch: "night-shift/explain-the-stock" });
    expect(await ledger()).toMatchObject([{ task: first.id, url: null, number: null, patch: expect.any(String) }]);
    const second = await runNight();
    expect(second).toMatchObject({ state: "no_improvement" });
    expect(second.reason).toContain('"Explain the stock" was pushed as a branch');
    await writeTitle("Mention opening hours");
    expect(await runNight()).toMatchObject({ state: "published", branch: "night-shift/mention-opening-hours" });
    await writeTitle("Name the owner");
    const over = await runNight();
    expect(over).toMatchObject({ state: "no_improvement" });
    expect(over.reason).toMatch(/2 branches are open and limits.open_change_requests is 2: merge or delete some first/);
    await repo.git("push", "--quiet", "origin", ":night-shift/explain-the-stock");
    expect(await runNight()).toMatchObject({ state: "published", branch: "night-shift/name-the-owner" });
  });
});
