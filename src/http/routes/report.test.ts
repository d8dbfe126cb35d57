import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Task } from "../../core/task/task.ts";
import type { CommitParams } from "../../ports/store.ts";
import { BASE } from "../contract/route.ts";
import { reportSchema, type ReportJson } from "../contract/report.ts";
import {
  ADMIT,
  endRun,
  type Harness,
  makeEvent,
  makeParked,
  makeTask,
  NOW,
  openHarness,
  saveTask,
} from "../harness.suite.ts";

let api: Harness;

beforeEach(async () => {
  api = await openHarness();
});

afterEach(async () => {
  await api.close();
});

const HOUR = 3_600_000;

async function report(query = ""): Promise<ReportJson> {
  const response = await api.request("GET", `${BASE}/report${query}`);
  expect(response.status).toBe(200);
  return reportSchema.parse(await response.json());
}

function idsIn(found: ReportJson, section: keyof ReportJson["sections"]): readonly string[] {
  return found.sections[section].tasks.map(({ id }) => id);
}

async function save(given: Partial<Task>): Promise<Task> {
  return (await saveTask(api.store, makeTask(given))).task;
}

async function commit(task: Task, given: Partial<CommitParams>): Promise<void> {
  const nothing = { lease: null, endRun: null, endOthers: null, newRun: null };
  const lists = { events: [], checks: [], artifacts: [], notices: [] };
  await api.store.tasks.commit({
    task,
    expectedVersion: task.version,
    admission: ADMIT,
    ...nothing,
    ...lists,
    ...given,
  });
}

const BRANCH = { type: "branch", label: "nightshift/x", url: null, data: {} } as const;

/** A task whose change is on the remote. */
async function publish(given: Partial<Task>, files: readonly object[]): Promise<Task> {
  const published = { status: "succeeded", finishedAt: NOW - HOUR, baseCommit: "b1", headCommit: "c1" } as const;
  const task = await save({ ...published, branch: "nightshift/x", ...given });
  await commit(task, { artifacts: [BRANCH, { type: "diff", label: "files", url: null, data: { files } }] });
  return task;
}

const file = (path: string, insertions: number) => ({
  path,
  change: "modified",
  insertions,
  deletions: 0,
  binary: false,
});

describe("GET /report", () => {
  it("says that nothing ran if nothing did", async () => {
    const found = await report();
    expect(found.verdict).toEqual({
      level: "quiet",
      fact: "Nothing was planned and nothing ran.",
      consequence: "No task waits for you.",
    });
    expect(found).toMatchObject({ night: "2026-11-15", since: "2026-11-15T11:00:00.000Z", time_zone: "Europe/Paris" });
  });

  it.each([
    ["passed", "proven"],
    ["failed", "not_proven"],
    ["skipped", "no_test"],
  ] as const)("says whether a fix is proven: a proof that %s means %s", async (status, proof) => {
    const { task, admitted } = await saveTask(api.store, makeTask({ status: "running", baseCommit: "b1" }));
    const [run = ""] = admitted;
    await endRun(api.store, task, run);
    const ended = (await api.store.tasks.getTask(task.id)) ?? task;
    const check = {
      run,
      name: "proof of the fix",
      severity: "warning",
      exitCode: null,
      durationMs: 0,
      tail: "",
    } as const;
    await commit({ ...ended, headCommit: "c1" }, { artifacts: [BRANCH], checks: [{ ...check, status }] });
    expect((await report()).sections.review.tasks[0]?.change?.proof).toBe(proof);
  });

  it("contains every task of the night exactly once, and what waits since earlier", async () => {
    const question = { id: "q", question: "Which?", context: null, input: "text", options: [], default: "a" } as const;
    const answers = {
      kind: "answers",
      since: NOW - 90 * HOUR,
      questions: [{ ...question, deadline: NOW + HOUR }],
    } as const;
    const asks = await save({ status: "waiting", waitingFor: answers, createdAt: NOW - 90 * HOUR });
    const failed = await save({ status: "failed", outcome: "timeout", reason: "too slow", finishedAt: NOW - HOUR });
    await save({ status: "failed", finishedAt: NOW - 30 * HOUR });
    const queued = await save({ queuedFor: { kind: "budget", until: null, reason: "the budget is spent" } });
    const done = await save({ status: "succeeded", finishedAt: NOW - HOUR });
    const large = await publish({}, [file("src/a.ts", 101)]);
    const small = await publish({}, [file("src/b.ts", 3)]);
    const found = await report();
    expect(idsIn(found, "decide")).toEqual([asks.id]);
    expect(idsIn(found, "failed")).toEqual([failed.id]);
    expect(idsIn(found, "queued")).toEqual([queued.id]);
    expect(idsIn(found, "done")).toEqual([done.id]);
    expect(idsIn(found, "review")).toEqual([small.id, large.id]);
    expect(found.sections.review.tasks.map(({ change }) => change)).toEqual([
      { files: 1, insertions: 3, deletions: 0, risk: { level: "low", reasons: [] }, reading_minutes: 1, proof: null },
      {
        files: 1,
        insertions: 101,
        deletions: 0,
        risk: { level: "medium", reasons: ["101 changed lines"] },
        reading_minutes: 4,
        proof: null,
      },
    ]);
    const sections = Object.values(found.sections);
    expect(sections.reduce((sum, { total }) => sum + total, 0)).toBe(6);
    expect(found.previous).toMatchObject({ succeeded: 0, failed: 1 });
    expect(found.sections.decide.tasks[0]).toMatchObject({
      reason: "Which?",
      deadline: new Date(NOW + HOUR).toISOString(),
      next: [`nightshift answer ${found.sections.decide.tasks[0]?.short_id} q=…`],
    });
    expect(found.sections.queued.tasks[0]?.reason).toBe("the budget is spent");
  });

  it("shows an earlier night without what runs and waits now", async () => {
    const waiting = { kind: "approval", planHash: "h", since: NOW } as const;
    await save({ status: "waiting", waitingFor: waiting });
    const old = await save({ status: "failed", finishedAt: NOW - 30 * HOUR });
    const found = await report("?night=2026-11-14");
    expect(found.verdict.consequence).toBe("1 task failed.");
    expect(idsIn(found, "failed")).toEqual([old.id]);
    expect(idsIn(await report("?since=3d"), "failed")).toEqual([old.id]);
  });

  it("adds up to the costs of the runs that ended in the night", async () => {
    const running = await saveTask(api.store, makeTask({ status: "running" }));
    const run = running.admitted[0] ?? "";
    await endRun(api.store, running.task, run);
    const found = await report();
    expect(found.money.costs.total).toMatchObject({ runs: 1, cost_usd: 0.25, unknown_cost: 0 });
    expect(found.spans).toMatchObject([{ run, step: "agent", status: "succeeded", to: expect.any(String) }]);
    const tasks = Object.values(found.sections).flatMap((section) => section.tasks);
    expect(tasks.map(({ cost_usd }) => cost_usd)).toEqual([0.25]);
  });

  it("names an agent that is parked, its gap, and what was missed", async () => {
    const task = await save({
      queuedFor: { kind: "login", until: null, agent: "mine", reason: "the key was rejected" },
    });
    await commit(task, { parking: { account: "mine", before: null, after: makeParked({ since: NOW - 30 * HOUR }) } });
    await api.store.events.appendEvents([
      makeEvent({ type: "schedule.missed", at: NOW - HOUR, summary: "it should have run" }),
      makeEvent({ type: "schedule.missed", at: NOW - 30 * HOUR, summary: "not in this night" }),
    ]);
    const found = await report();
    expect(found.verdict.level).toBe("bad");
    expect(found.problems).toEqual([
      { text: "mine needs a login: The key was rejected.", command: "nightshift doctor", agent: "mine", tasks: 1 },
    ]);
    expect(found.gaps).toMatchObject([{ kind: "agent", agent: "mine", to: null }]);
    expect(found.missed.map(({ text }) => text)).toEqual(["it should have run"]);
  });

  it("counts only one project if asked to", async () => {
    const other = await save({ status: "failed", project: "blog", finishedAt: NOW - HOUR });
    await save({ status: "failed", finishedAt: NOW - HOUR });
    expect(idsIn(await report("?project=blog"), "failed")).toEqual([other.id]);
  });

  it.each([
    "?night=yesterday",
    "?since=tomorrow",
    "?night=2026-11-15&since=7d",
    "?until=2026-11-15",
    "?since=93d",
    "?since=1970-01-01",
  ])("refuses %s", async (query) => {
    expect((await api.request("GET", `${BASE}/report${query}`)).status).toBe(400);
  });

  it("covers up to 92 days", async () => {
    expect((await report("?since=92d")).since).toBe("2026-08-15T22:00:00.000Z");
  });

  it.each([
    ["?night=2026-11-17", "This night has not begun."],
    ["?night=2026-02-31", "must be a day of the calendar, such as 2026-11-15"],
    ["?night=tonight", "must be a day of the calendar, such as 2026-11-15"],
  ])("refuses %s with a sentence", async (query, sentence) => {
    const response = await api.request("GET", `${BASE}/report${query}`);
    expect(response.status).toBe(400);
    const problem = JSON.stringify(await response.json());
    expect(problem).toContain(sentence);
    expect(problem).not.toContain("pattern");
  });
});
