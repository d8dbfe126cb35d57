import { createHash } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGitWorkspaces } from "../../adapters/git/workspaces.ts";
import { openSqliteStore } from "../../adapters/stores/sqlite/open.ts";
import type { Candidate } from "../../core/nightly/candidates.ts";
import type { Actor } from "../../core/task/event.ts";
import { createFakeClock, type FakeClock } from "../../testing/fake-clock.ts";
import { SILENT_LOG, creating, sampleEvent, sampleProject, sampleTask } from "../../testing/store/samples.ts";
import { createTempRepo, type TempRepo } from "../../testing/temp-repo.ts";
import { giveReason, addRule, editRule, removeRule } from "../commands/rules.ts";
import {
  findBlocker,
  markAsked,
  markClosed,
  markMerged,
  markPublished,
  markUnpublished,
  recordProposals,
  findKnownProposals,
  selectedProposalId,
  listUnexplained,
  type LedgerContext,
  type LedgerPorts,
} from "./ledger.ts";

const ADA: Actor = { kind: "person", name: "ada" };
const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 16);

const candidate = (rank: number, title: string, ...files: string[]): Candidate => ({
  rank,
  title,
  files,
  description: "d",
  rationale: "r",
});
const TYPO = candidate(1, "Fix the typo in the greeting", "./a.txt");
const RETRY = candidate(2, "Explain retries", "b.txt");
const triedItem = (item: string) => ({ item, outcome: "policy_failed", reason: "no", filesScanned: null });
const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}\n`).join("");

let repo: TempRepo;
let ports: LedgerPorts;
let context: LedgerContext;
let base: string;
let clock: FakeClock;

beforeEach(async () => {
  clock = createFakeClock(START);
  repo = await createTempRepo({ "a.txt": lines(20), "b.txt": lines(5) });
  const home = join(repo.path, "home");
  ports = {
    store: await openSqliteStore({ file: ":memory:", log: SILENT_LOG }),
    workspaces: createGitWorkspaces({
      mirrorsDir: join(home, "mirrors"),
      workspacesDir: join(home, "work"),
      log: SILENT_LOG,
    }),
    clock,
    digest: (text) => createHash("sha256").update(text).digest("hex"),
    secrets: { redact: <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll("hunter2", "***")) as T },
  };
  context = { ports, project: { name: "shop" }, task: { id: "task_1aa" } };
  await ports.store.projects.saveProject(sampleProject(), sampleEvent());
  base = await sync();
});
afterEach(async () => {
  await ports.store.close();
  await repo.remove();
});

const sync = async () =>
  (await ports.workspaces.sync({ project: "shop", remote: repo.remote, defaultBranch: "main" })).commit;
const analysis = { category: "docs", candidates: [TYPO, RETRY], selected: 1, dropped: [] };
const record = () => recordProposals(context, { analysis, baseCommit: base });
const list = () => ports.store.ledger.listProposals({ project: "shop", statuses: null, limit: 100 });
const selected = () => selectedProposalId(context, analysis) ?? "";
const publish = async () => {
  await record();
  return await markPublished(ports, selected(), { url: "https://f/1", number: 1, patch: "p", baseCommit: base });
};
const blocked = async (each: Candidate) =>
  (await findBlocker(context, { category: "docs", candidate: each, to: await sync() }))?.id ?? null;

const asTests = (each: Candidate) => findBlocker(context, { category: "tests", candidate: each, to: base });
/** The proposal that blocks the typo as a `tests` candidate, in a night that gave up these items before. */
const afterTried = async (...tried: string[]) => {
  const items = { list: ["docs", "tests"], at: tried.length, scheduled: 2, tried: tried.map(triedItem) };
  const retried = { ...context, task: { ...context.task, items } };
  return (await findBlocker(retried, { category: "tests", candidate: TYPO, to: base }))?.id ?? null;
};

describe("the ledger", () => {
  it("contains every candidate once, even if they are recorded again after one was published", async () => {
    await record();
    const known = await list();
    expect(known.map(({ title, status, files, task }) => ({ title, status, files, task }))).toEqual(
      expect.arrayContaining([
        { title: TYPO.title, status: "proposed", files: ["a.txt"], task: "task_1aa" },
        { title: RETRY.title, status: "proposed", files: ["b.txt"], task: "task_1aa" },
      ]),
    );
    await publish();
    await clock.advance(1000);
    await record();
    expect((await list()).map(({ status }) => status).toSorted()).toEqual(["proposed", "published"]);
  });

  it("stores no secrets and no terminal escape sequences", async () => {
    const candidates = [candidate(1, "Remove hunter2\u001b[31m\nfrom the code", "a.txt")];
    await recordProposals(context, { analysis: { category: "security", candidates }, baseCommit: base });
    const [stored] = await list();
    expect(stored?.title).toBe("Remove *** from the code");
    // Later steps only see the redacted title and must find the same proposal.
    const later = { ...analysis, category: "security", candidates: ports.secrets.redact(candidates) };
    expect(selectedProposalId(context, later)).toBe(stored?.id);
  });

  it("does not block a candidate that was only proposed", async () => {
    await record();
    expect(await blocked(TYPO)).toBeNull();
  });

  it("blocks a reworded candidate with the same intent while its change request is open, and nothing else", async () => {
    await publish();
    expect(await blocked(candidate(3, "Correct a misspelling in the greeting", "a.txt"))).toBe(selected());
    expect(await blocked(RETRY)).toBeNull();
    const elsewhere = { ports, project: { name: "api" } };
    expect(await findBlocker(elsewhere, { category: "docs", candidate: TYPO, to: base })).toBeNull();
  });

  it("blocks the same title for the same files in another category, but not another title", async () => {
    await publish();
    expect(await asTests(candidate(1, "Fix typos in the greeting", "a.txt"))).toMatchObject({ id: selected() });
    expect(await asTests(candidate(1, "Cover the greeting", "a.txt"))).toBeNull();
    expect(await asTests(candidate(1, TYPO.title, "a.txt", "b.txt"))).toBeNull();
  });

  it("blocks what the same night gave up in an earlier category, but not after a person retried the task", async () => {
    await record();
    await markUnpublished(ports, selected(), "abandoned");
    expect(await afterTried("docs")).toBe(selected());
    expect(await afterTried()).toBeNull();
  });

  it("blocks a closed proposal until its files changed materially, even after its task was deleted", async () => {
    await publish();
    const task = sampleTask({ id: context.task.id, status: "succeeded" });
    await ports.store.tasks.createTask(creating(task));
    await ports.store.tasks.deleteTask(task.id, sampleEvent());
    expect(await markClosed(ports, context.task.id)).toMatchObject({ status: "closed", url: "https://f/1" });
    await repo.commit({ "a.txt": `${lines(20)}a few\nmore\n`, "b.txt": null });
    expect(await blocked(TYPO)).toBe(selected());
    await repo.commit({ "a.txt": lines(40) });
    expect(await blocked(TYPO)).toBeNull();
  });

  it("blocks a merged proposal; its own merge does not count as a change of its files", async () => {
    await publish();
    const merge = await repo.commit({ "a.txt": lines(60) });
    await markMerged(ports, context.task.id, merge);
    expect(await blocked(TYPO)).toBe(selected());
    expect(await markClosed(ports, context.task.id)).toBeNull();
    await repo.commit({ "a.txt": lines(5) });
    expect(await blocked(TYPO)).toBeNull();
  });

  it("blocks an abandoned proposal for other tasks, even if its base commit no longer exists", async () => {
    await record();
    await markUnpublished(ports, selected(), "abandoned");
    expect(await blocked(TYPO)).toBeNull();
    const abandoned = selected();
    context = { ...context, task: { id: "task_2bb" } };
    expect(await blocked(TYPO)).toBe(abandoned);
    await ports.store.ledger.updateProposal(abandoned, { baseCommit: "f".repeat(40) });
    await repo.commit({ "a.txt": null });
    expect(await blocked(TYPO)).toBe(abandoned);
  });

  it("queries git only for proposals with the same intent", async () => {
    await publish();
    await ports.store.ledger.updateProposal(selected(), { baseCommit: "not a commit" });
    const known = await findKnownProposals(context, { category: "docs", candidates: [RETRY] }, base);
    expect(known).toEqual({ ledger: [], churn: new Map() });
  });

  it("lists a closed proposal as unexplained until a person was asked", async () => {
    await publish();
    expect(await listUnexplained(ports, "shop")).toEqual([]);
    await markClosed(ports, context.task.id);
    expect((await listUnexplained(ports, "shop")).map(({ id }) => id)).toEqual([selected()]);
    await markAsked(ports, selected());
    expect(await listUnexplained(ports, "shop")).toEqual([]);
  });

  it("returns null for unknown proposals", async () => {
    const published = { url: "u", number: 1, patch: null, baseCommit: base };
    expect(await markPublished(ports, "prop_none", published)).toBeNull();
    expect(await markMerged(ports, "task_none", null)).toBeNull();
    expect(selectedProposalId(context, { ...analysis, selected: 9 })).toBeNull();
  });
});

const give = (target: string, text = "", kind: "too_big" | "style" = "too_big") =>
  giveReason(ports, target, { kind, text }, ADA);

const rules = () => ports.store.ledger.listRules({ project: "shop", at: clock.now() });

describe("a reason", () => {
  it("is stored with the proposal and becomes a rule with a source and an expiry", async () => {
    await publish();
    await markClosed(ports, context.task.id);
    const { proposal, rule } = await give(context.task.id, "hunter2 breaks\nthe app");
    expect(proposal).toMatchObject({
      status: "closed",
      reason: { kind: "too_big", text: "*** breaks the app", by: "ada", at: START },
    });
    expect(rule).toMatchObject({
      project: "shop",
      text: "Not wanted (too big): Fix the typo in the greeting. *** breaks the app. Files: a.txt",
      proposal: proposal.id,
      url: "https://f/1",
      by: "ada",
      expiresAt: START + 180 * DAY,
    });
    expect(await rules()).toEqual([rule]);
    expect(await listUnexplained(ports, "shop")).toEqual([]);
    const events = await ports.store.events.listEvents({ after: 0, task: null, limit: 10 });
    expect(events.at(-1)).toMatchObject({ type: "rule.saved", actor: ADA, data: { rule: rule.id, project: "shop" } });
  });

  it("replaces the previous reason and its rule", async () => {
    await publish();
    const first = await give(selected(), "one");
    await clock.advance(DAY);
    const second = await give(selected(), "two", "style");
    expect(first.replaced).toBeNull();
    expect(second.replaced).toMatchObject({ kind: "too_big", text: "one", by: "ada", at: START });
    expect((await give(selected(), "two", "style")).replaced).toBeNull();
    expect(second.rule).toMatchObject({
      id: first.rule.id,
      at: START,
      updatedAt: clock.now(),
      expiresAt: clock.now() + 180 * DAY,
    });
    expect(await rules()).toEqual([second.rule]);
    expect((await list()).find(({ id }) => id === selected())?.reason?.text).toBe("two");
  });

  it("rejects an unpublished proposal, so that it is not proposed again", async () => {
    await record();
    await give(selected());
    expect(await blocked(TYPO)).toBe(selected());
  });

  it("accepts id prefixes, and for a task prefers its change request over its other candidates", async () => {
    await publish();
    for (const target of ["task_1a", "1aa", selected().slice(0, 10), selected().slice(5)])
      expect((await give(target)).proposal.id).toBe(selected());
  });

  it("is refused for unknown, ambiguous and merged proposals", async () => {
    await expect(give("task_1aa")).rejects.toMatchObject({ kind: "not_found" });
    await record();
    await expect(give("task_1aa")).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringContaining("Explain retries"),
    });
    await publish();
    await expect(give(selected(), "x".repeat(301))).rejects.toMatchObject({ kind: "invalid" });
    await markMerged(ports, context.task.id, null);
    await expect(give(selected())).rejects.toMatchObject({ kind: "conflict" });
    expect(await rules()).toEqual([]);
  });
});

const add = (text: string, expiresAt?: number | null) =>
  addRule(ports, { project: "shop", text, ...(expiresAt === undefined ? {} : { expiresAt }) }, ADA);

describe("project rules", () => {
  it("can be added, edited, expired and removed, with an event for each change", async () => {
    const rule = await add("Leave\u001b[31m legacy alone");
    expect(rule).toMatchObject({
      text: "Leave legacy alone",
      by: "ada",
      expiresAt: clock.now() + 180 * DAY,
      url: null,
    });
    await clock.advance(1000);
    const changed = await editRule(ports, rule.id.slice(5, 9), { text: "Leave it" }, ADA);
    expect(changed).toEqual({ ...rule, text: "Leave it", updatedAt: clock.now() });
    expect(await editRule(ports, rule.id, { expiresAt: null }, ADA)).toMatchObject({ expiresAt: null });
    await editRule(ports, rule.id, { expiresAt: clock.now() }, ADA);
    expect(await ports.store.ledger.listRules({ project: "shop", at: clock.now() })).toEqual([]);
    expect(await removeRule(ports, rule.id, ADA)).toMatchObject({ id: rule.id });
    await expect(removeRule(ports, rule.id, ADA)).rejects.toMatchObject({ kind: "not_found" });
    const events = await ports.store.events.listEvents({ after: 1, task: null, limit: 10 });
    expect(events.map(({ type }) => type)).toEqual([...Array<string>(4).fill("rule.saved"), "rule.removed"]);
  });

  it("are refused if empty, expired, ambiguous or for an unknown project", async () => {
    await expect(add(" ")).rejects.toMatchObject({ kind: "invalid" });
    await expect(add("x", clock.now())).rejects.toMatchObject({ kind: "invalid" });
    await expect(addRule(ports, { project: "nope", text: "x" }, ADA)).rejects.toMatchObject({ kind: "not_found" });
    const rule = await add("x", null);
    await expect(editRule(ports, rule.id, { text: "" }, ADA)).rejects.toMatchObject({ kind: "invalid" });
    await add("y");
    await expect(editRule(ports, "rule_", { text: "z" }, ADA)).rejects.toMatchObject({ kind: "conflict" });
  });
});
