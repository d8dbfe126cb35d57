import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Proposal } from "../../src/core/nightly/proposal.ts";
import type { Task } from "../../src/core/task/task.ts";
import { createOutages } from "../../src/engine/reconcile/outages.ts";
import { createReadBack } from "../../src/engine/reconcile/read-back.ts";
import { ALICE } from "./night.ts";
import { NIGHTLY_DRAFT, openNightly, type Nightly } from "./nightly.ts";
import { branchesOf, expectNothingLeft, promptsOf } from "./cleanup-checks.ts";

const TIMEOUT_MS = 200_000;
const TEST_TIMEOUT = { timeout: 400_000 };

let night: Nightly;
let readBack: () => Promise<void>;

afterEach(async () => {
  await night.close();
}, 60_000);

/** Proposes the improvement with the given title and adds the given line. */
const AGENT = `TITLE=$(head -n 1 "$(dirname "$0")/proposal"); LINE=$(tail -n 1 "$(dirname "$0")/proposal")
case $ROLE in
  analyze) report '{"outcome":"improvement_found","category":"docs","candidates":[{"rank":1,"title":"'"$TITLE"'","files":["notes.txt"],"description":"d","rationale":"r"}],"selected":1}';;
  implement) echo "$LINE" >> notes.txt; implemented x;;
  verify) verified;;
  describe) described "$TITLE";;
esac`;

const open = async (): Promise<void> => {
  night = await openNightly({ timeoutMs: TIMEOUT_MS, agent: AGENT });
  const look = createReadBack(night.wired.ports, createOutages(night.wired.ports));
  // A closed change request is confirmed by a second poll.
  readBack = async () => {
    await look();
    await look();
  };
};

async function runNight(title: string, line: string): Promise<Task> {
  await writeFile(join(night.repo.path, "proposal"), `${title}\n${line}\n`);
  const { id } = await night.submit({ ...NIGHTLY_DRAFT, improve: { category: "docs", only: true, scheduledAt: null } });
  return night.settled(id);
}

async function ledger(): Promise<readonly Proposal[]> {
  const all = await night.wired.ports.store.ledger.listProposals({ project: "shop", statuses: null, limit: 100 });
  return all.toSorted((one, other) => one.at - other.at);
}

async function eventsOf({ id }: Pick<Task, "id">, prefix: string): Promise<readonly string[]> {
  const events = await night.wired.ports.store.events.listEvents({ after: 0, task: id, limit: 1000 });
  return events.map(({ type }) => type).filter((type) => type.startsWith(prefix));
}

const TITLE = "Explain where the stock comes from";

/** Adds a commit, so that the files do not count as recently changed. */
async function addRecentCommits(): Promise<void> {
  for (const name of ["four", "five", "six"]) await night.repo.commit({ [`recent-${name}.txt`]: name }, name);
}

describe("improve: ledger of change requests", TEST_TIMEOUT, () => {
  it("an improvement is not proposed again while it is open or after it was closed, until its file changes", async () => {
    await open();
    const first = await runNight(TITLE, "from the warehouse");
    expect(first).toMatchObject({ state: "published" });
    const [request] = night.forge.changeRequests;
    expect(await ledger()).toMatchObject([{ title: TITLE, status: "published", number: 1, task: first.id }]);

    const second = await runNight("Explain where stock comes from", "in other words");
    expect(second).toMatchObject({ status: "succeeded", state: "no_improvement" });
    expect(second.reason).toMatch(
      /"Explain where the stock comes from" is still open \(http.*\/-\/merge_requests\/1\)/,
    );

    night.forge.closeRequest(request?.number ?? 0);
    // People are asked only once, however often the forge is polled.
    await readBack();
    await readBack();
    expect(await ledger()).toMatchObject([{ status: "closed" }]);
    expect(await eventsOf(first, "request.")).toEqual(["request.closed", "request.unexplained"]);

    const explained = await night.commands.giveReason(
      first.id,
      { kind: "not_worth_it", text: "Nobody reads the notes" },
      ALICE,
    );
    expect(explained.proposal).toMatchObject({ status: "closed", reason: { kind: "not_worth_it" } });
    const third = await runNight(TITLE, "from the warehouse");
    expect(third).toMatchObject({ state: "no_improvement" });
    expect(third.reason).toMatch(/was closed .*its files have not changed enough since/);
    const [prompt] = await promptsOf(night, third.id, "analyze");
    expect(prompt).toContain("Nobody reads the notes");
    expect(prompt).toMatch(/Proposed before:\n- "Explain where the stock comes from" was closed/);
    await readBack();
    expect(await eventsOf(first, "request.")).toEqual(["request.closed", "request.unexplained"]);

    await night.repo.commit({ "notes.txt": Array.from({ length: 30 }, (_, n) => `another line ${n}\n`).join("") });
    await addRecentCommits();
    const fourth = await runNight(TITLE, "from the new warehouse");
    // The branch of the closed change request still exists but is not reused.
    expect(fourth).toMatchObject({ state: "published", branch: `${first.branch}-2` });
    expect(night.forge.changeRequests.map(({ state }) => state)).toEqual(["closed", "open"]);

    const merge = await night.forge.merge(2);
    await readBack();
    expect((await ledger()).at(-1)).toMatchObject({ status: "merged", baseCommit: merge, task: fourth.id });
    expect(await eventsOf(fourth, "request.")).toEqual(["request.merged"]);
    await night.repo.git("pull", "--quiet", "--rebase", "origin", "main");
    await addRecentCommits();
    const fifth = await runNight(TITLE, "from elsewhere");
    expect(fifth).toMatchObject({ state: "no_improvement" });
    expect(fifth.reason).toContain("was merged");
    await expectNothingLeft(night, fifth);
  });

  it("a repeated improvement is recognised by its change, even with another title", async () => {
    await open();
    const first = await runNight(TITLE, "from the warehouse");
    night.forge.closeRequest(1);
    await readBack();
    const second = await runNight("Mention opening hours", "from the warehouse");
    expect(second).toMatchObject({ status: "failed", outcome: "abandoned" });
    expect(second.reason).toContain("known_change notes.txt: The same change was proposed before");
    expect(await branchesOf(night)).toEqual([first.branch]);
    // An abandoned change is not tried again the next night.
    const third = await runNight("Mention opening hours", "at nine");
    expect(third).toMatchObject({ state: "no_improvement" });
    expect(third.reason).toContain("was tried and abandoned");
    await expectNothingLeft(night, third);
  });
});

const runNightWithAllCategories = async (title: string, line: string): Promise<Task> => {
  await writeFile(join(night.repo.path, "proposal"), `${title}\n${line}\n`);
  return night.settled((await night.submit(NIGHTLY_DRAFT)).id);
};
const countImplementations = async ({ id }: Task): Promise<number> =>
  (await night.runs(id)).filter(({ role }) => role === "implement").length;

describe("improve: same idea in every category", TEST_TIMEOUT, () => {
  it("is made in none of them after people closed it, and each category reports it", async () => {
    await open();
    await runNight(TITLE, "from the warehouse");
    night.forge.closeRequest(1);
    await readBack();
    const second = await runNightWithAllCategories(TITLE, "from the warehouse");
    expect(second).toMatchObject({ status: "succeeded", state: "no_improvement" });
    expect(await countImplementations(second)).toBe(0);
    expect(second.reason).toMatch(/^security: .*As docs, "Explain where the stock comes from" was closed \(http/m);
    await expectNothingLeft(night, second);
  });

  it("is tried in one category and not repeated in the others", async () => {
    night = await openNightly({
      timeoutMs: TIMEOUT_MS,
      agent: AGENT.replace("verify) verified", 'verify) failed "no"'),
    });
    const task = await runNightWithAllCategories(TITLE, "from the warehouse");
    expect(task).toMatchObject({ status: "failed", outcome: "abandoned" });
    expect(await countImplementations(task)).toBe(3);
    expect(task.reason).toMatch(/^tests: .*As docs, "Explain where the stock comes from" was tried and abandoned/m);
    // A person can ask for it again.
    await night.commands.retry(task.id, null, ALICE);
    const again = await night.settled(task.id);
    expect(await countImplementations(again)).toBe(6);
    await expectNothingLeft(night, again);
  });
});

describe("improve: project without a forge", TEST_TIMEOUT, () => {
  it("gets a branch, but not the same change every night", async () => {
    night = await openNightly({ timeoutMs: TIMEOUT_MS, agent: AGENT, hasForge: false });
    const first = await runNight(TITLE, "from the warehouse");
    expect(first).toMatchObject({ state: "published", branch: "night-shift/explain-where-the-stock-comes-from" });
    expect(night.forge.changeRequests).toEqual([]);
    expect(await ledger()).toMatchObject([{ status: "published", url: null, number: null }]);
    const second = await runNight(TITLE, "from the warehouse");
    expect(second).toMatchObject({ state: "no_improvement" });
    expect(second.reason).toContain("was pushed as a branch");
    expect(await branchesOf(night)).toEqual([first.branch]);
    await expectNothingLeft(night, second);
  });
});
