import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import type { Task } from "../core/task/task.ts";
import { hashToken } from "./auth.ts";
import { BASE } from "./contract/route.ts";
import { ROUTES, type RouteKey } from "./contract/routes.ts";
import { endRun, type Harness, makeEvent, makeTask, NOW, openHarness, saveTask } from "./harness.suite.ts";

let api: Harness;
let ended: Task;
let waiting: Task;
let run: string;

beforeAll(async () => {
  api = await openHarness();
  const created = await saveTask(api.store, makeTask({ status: "running", description: "y".repeat(600) }));
  run = created.admitted[0] ?? "";
  await endRun(api.store, created.task, run);
  const merged = { task: created.task.id, data: { number: 7, url: "https://forge.example/7" } };
  await api.store.events.appendEvents([makeEvent({ ...merged, type: "request.merged", at: NOW })]);
  ended = (await api.store.tasks.getTask(created.task.id)) ?? created.task;
  waiting = (await saveTask(api.store, fullTask())).task;
  api.transcript.add("hello");
});

afterAll(async () => {
  await api.close();
});

/** A task with all optional fields set. */
function fullTask(): Task {
  const question = {
    id: "q1",
    question: "Which?",
    context: null,
    input: "choice",
    options: ["a", "b"],
    default: "a",
    deadline: NOW,
  } as const;
  const option = { id: "o1", title: "One", description: "The first", recommended: true };
  return makeTask({
    status: "waiting",
    waitingFor: { kind: "answers", questions: [question], since: NOW },
    queuedFor: { kind: "quota", until: NOW + 1 },
    items: { list: ["tests", "docs"], at: 1, scheduled: 1, tried: [] },
    plan: { plan: "do it" },
    planHash: "h1",
    documents: [{ kind: "plan", version: 1, hash: "h1", run: "run_x", at: NOW }],
    subtasks: [{ title: "Step one", done: false }],
    context: [{ kind: "plan_summary", source: "agent", summary: "short", data: {}, run: "run_x", at: NOW }],
    conversation: [
      { kind: "answers", state: "planning", asked: [question], reply: { q1: "a" }, by: "alice", at: NOW },
      { kind: "choice", state: "planning", asked: [option], reply: null, by: null, at: NOW },
    ],
  });
}

/** Returns the response after checking it strictly against the route's schema. */
async function reply<K extends RouteKey>(key: K, more: { path?: string; body?: unknown } = {}) {
  const [method = "", path = ""] = key.split(" ");
  const options = more.body === undefined ? {} : { body: more.body };
  const response = await api.request(method, `${BASE}${more.path ?? path}`, options);
  const row = ROUTES[key];
  expect(response.status, await response.clone().text()).toBe(row.status);
  if (row.ok === null) return null as never;
  return row.ok.parse(await response.json()) as z.output<NonNullable<(typeof ROUTES)[K]["ok"]>>; // parsed by that very schema
}

describe("API: tasks", () => {
  it("are returned with all fields", async () => {
    const task = await reply("GET /tasks/:id", { path: `/tasks/${ended.id}` });
    expect(task).toMatchObject({
      duration_ms: 5000,
      agent_ms: 2000,
      cost_usd: 0.25,
      unknown_cost: 0,
      tokens: { input: 10, output: 0, cache_read: 0, cache_write: 0 },
      finished_at: new Date(NOW).toISOString(),
      runs: [{ id: run, status: "succeeded", ended_by: "exit", duration_ms: 2000, cost_basis: "reported" }],
      checks: [{ name: "test", status: "passed", exit_code: 0 }],
      artifacts: [
        { type: "commit", label: "c1" },
        { type: "change_request", label: "Say more" },
      ],
    });
    expect(task.description).toHaveLength(600);
  });

  it("have short ids that every route accepts, also in lists", async () => {
    const { tasks } = await reply("GET /tasks");
    for (const { id, short_id } of tasks) {
      const task = await reply("GET /tasks/:id", { path: `/tasks/${short_id}` });
      expect([task.id, task.short_id]).toEqual([id, short_id]);
      for (const { id: own, short_id: short } of task.runs)
        expect((await reply("GET /runs/:id", { path: `/runs/${short}` })).id).toBe(own);
    }
  });

  it("show what became of their change request, also in lists", async () => {
    const ended_at = new Date(NOW).toISOString();
    const url = "https://forge.example/7";
    const request = { number: 7, url, state: "merged", head: null, base: null, ended_at };
    expect(await reply("GET /tasks/:id", { path: `/tasks/${ended.id}` })).toMatchObject({ change_request: request });
    const { tasks } = await reply("GET /tasks");
    expect(tasks.map(({ change_request }) => change_request)).toEqual(expect.arrayContaining([request, null]));
  });

  it("include what they wait for, in snake case and with ISO times", async () => {
    const task = await reply("GET /tasks/:id", { path: `/tasks/${waiting.id}` });
    expect(task).toMatchObject({
      category: "docs (fallback from tests)",
      is_fallback: true,
      documents: [{ kind: "plan", version: 1, hash: "h1" }],
      waiting_for: { kind: "answers", questions: [{ id: "q1", deadline: new Date(NOW).toISOString() }] },
      queued_for: { kind: "quota", until: new Date(NOW + 1).toISOString() },
      conversation: [{ reply: { q1: "a" } }, { asked: [{ id: "o1" }], reply: null }],
    });
  });

  it("are listed without details, newest first, in pages", async () => {
    const first = await reply("GET /tasks", { path: "/tasks?limit=1" });
    expect(first.tasks).toHaveLength(1);
    const second = await reply("GET /tasks", { path: `/tasks?limit=1&cursor=${encodeURIComponent(first.next ?? "")}` });
    const ids = [...first.tasks, ...second.tasks].map(({ id }) => id);
    expect(ids.toSorted()).toEqual([ended.id, waiting.id].toSorted());
    const { tasks } = await reply("GET /tasks", { path: "/tasks?status=succeeded,failed" });
    expect(tasks).toMatchObject([{ id: ended.id, runs: [], checks: [], artifacts: [], cost_usd: null, tokens: null }]);
    expect(tasks[0]?.description).toHaveLength(500);
    expect(tasks[0]?.description.endsWith("…")).toBe(true);
  });

  it("can be filtered by several statuses, comma-separated or repeated", async () => {
    const { tasks } = await reply("GET /tasks", { path: "/tasks?status=succeeded&status=waiting&project=shop" });
    expect(tasks).toHaveLength(2);
  });

  it("have a diff and pages of events", async () => {
    expect(await reply("GET /tasks/:id/diff", { path: `/tasks/${ended.id}/diff` })).toMatchObject({
      run,
      patch: expect.stringContaining("+b\n"),
      files: [{ path: "x", change: "modified", insertions: 1, deletions: 0, binary: false }],
    });
    const first = await reply("GET /tasks/:id/events", { path: `/tasks/${ended.id}/events?limit=1` });
    expect(first.events).toMatchObject([{ type: "task.submitted", task: ended.id }]);
    const rest = await reply("GET /tasks/:id/events", { path: `/tasks/${ended.id}/events?after=${first.next}` });
    expect(rest).toMatchObject({ events: [{ type: "run.ended", run }, { type: "request.merged" }], next: null });
  });
});

describe("API: decisions", () => {
  const me = { kind: "person", name: "alice", rights: ["admin"], via: "api" };
  const RETRY = { from: "checking", agent: null, model: null, timeoutMs: null, maxTurns: 7, budgetUsd: null };
  it.each([
    ["approve", { plan_hash: "h1" }, ["h1"]],
    ["approve", undefined, [null]],
    ["reject", { reason: "no" }, ["no"]],
    ["revise", { feedback: "more" }, ["more"]],
    ["answer", { answers: { q1: "a" } }, [{ q1: "a" }]],
    ["choose", { option: "o1", note: "n" }, [{ option: "o1", note: "n", then: null }]],
    ["pause", undefined, []],
    ["resume", undefined, []],
    ["cancel", undefined, []],
    ["kill", undefined, []],
    ["retry", { from: "checking", max_turns: 7 }, [RETRY]],
  ] as const)("POST /tasks/:id/%s passes %o to the command", async (verb, body, given) => {
    api.calls.length = 0;
    const task = await reply(`POST /tasks/:id/${verb}`, { path: `/tasks/${waiting.id}/${verb}`, body });
    expect(task.id).toBe(waiting.id);
    expect(api.calls).toEqual([[verb, waiting.id, ...given, me]]);
  });

  it("POST /tasks passes every field with its default to the command", async () => {
    api.calls.length = 0;
    const body = { project: "shop", description: "Paint", timeout_ms: 5, auto_approve: true };
    const task = await reply("POST /tasks", { body });
    expect(task).toMatchObject({ description: "Paint", submitted_by: "alice", status: "queued" });
    expect(api.calls[0]?.[1]).toEqual({
      project: "shop",
      after: [],
      until: null,
      maxTurns: null,
      related: null,
      issue: null,
      url: null,
      pipeline: "staged",
      title: null,
      description: "Paint",
      priority: "normal",
      size: null,
      complexity: null,
      tags: [],
      agent: null,
      model: null,
      timeoutMs: 5,
      planningTimeoutMs: null,
      budgetUsd: null,
      autoApprove: true,
      allowDirs: [],
      design: false,
      withoutChecks: false,
      allowOverlap: false,
      inPlace: false,
      improve: { category: null, only: false, scheduledAt: null },
      key: null,
    });
    await reply("DELETE /tasks/:id", { path: `/tasks/${task.id}` });
    expect(api.calls.at(-1)).toEqual(["remove", task.id]);
  });
});

describe("API: runs", () => {
  it("are listed and returned by id", async () => {
    expect((await reply("GET /runs", { path: `/runs?task=${ended.id}&status=succeeded` })).runs).toMatchObject([
      { id: run },
    ]);
    expect((await reply("GET /runs/:id", { path: `/runs/${run.slice(0, 10)}` })).id).toBe(run);
  });

  it("return their output in pages", async () => {
    const page = await reply("GET /runs/:id/output", { path: `/runs/${run}/output?format=json` });
    expect(page).toMatchObject({ offset: 0, ended: false, lines: [{ events: [{ type: "text", text: "hello" }] }] });
    const end = await reply("GET /runs/:id/output", { path: `/runs/${run}/output?format=json&offset=${page.next}` });
    expect(end).toMatchObject({ next: page.next, ended: true, lines: [] });
  });
});

describe("API: other routes", () => {
  it("GET /costs sums costs by the requested dimensions", async () => {
    const costs = await reply("GET /costs", { path: "/costs?since=2026-11-15&until=2026-11-16T00:00:00%2B01:00" });
    expect(costs).toMatchObject({
      since: "2026-11-14T23:00:00.000Z",
      until: "2026-11-15T23:00:00.000Z",
      time_zone: "Europe/Paris",
      by: ["day", "project", "pipeline", "role", "agent", "model"],
      rows: [{ day: "2026-11-15", project: "shop", model: null, runs: 1 }],
      total: { runs: 1, cost_usd: 0.25, unknown_cost: 0, basis: { reported: 1, unknown: 0 } },
    });
    const byAgent = await reply("GET /costs", { path: "/costs?since=7d&by=agent,day" });
    expect(Object.keys(byAgent.rows[0] ?? {})).toEqual(expect.arrayContaining(["agent", "day", "runs"]));
    expect(byAgent.rows[0]).not.toHaveProperty("project");
    for (const query of [
      "since=yesterday",
      "since=0d",
      "by=week",
      "until=7d",
      "until=9999-12-31",
      "since=2026-11-16&until=2026-11-15",
    ])
      expect((await api.request("GET", `${BASE}/costs?${query}`)).status, query).toBe(400);
  });

  it("agents, status, health and stop match the contract", async () => {
    expect((await reply("GET /agents")).agents).toMatchObject([{ name: "mine", usable: true, parked_until: null }]);
    expect(await reply("GET /status")).toMatchObject({
      pid: 42,
      uptime_ms: 1000,
      open_runs: 0,
      tasks: { succeeded: 1 },
    });
    expect(await reply("GET /budgets")).toEqual({ budgets: [] });
    await reply("GET /healthz");
    await reply("GET /openapi.json");
    expect(await reply("POST /daemon/stop", { body: { force: true } })).toEqual({ forced: true, runs: [] });
    await new Promise(setImmediate);
    expect(api.stops).toEqual([true]);
  });

  it("tokens: made once, listed without the secret, taken back", async () => {
    const { token } = await reply("POST /tokens", { body: { name: "bob", rights: ["submit", "submit"] } });
    const listed = await api.request("GET", `${BASE}/tokens`);
    expect(await listed.clone().text()).not.toContain(token);
    expect(ROUTES["GET /tokens"].ok.parse(await listed.json()).tokens).toMatchObject([
      { name: "bob", rights: ["submit"] },
    ]);
    for (const name of ["bob", "alice"]) {
      expect((await api.request("POST", `${BASE}/tokens`, { body: { name, rights: [] } })).status).toBe(409);
    }
    const asBob = { headers: { authorization: `Bearer ${token}` } };
    expect((await api.request("GET", `${BASE}/tasks`, asBob)).status).toBe(200);
    await reply("DELETE /tokens/:name", { path: "/tokens/bob" });
    expect((await api.request("GET", `${BASE}/tasks`, asBob)).status).toBe(401);
    expect((await api.request("DELETE", `${BASE}/tokens/bob`)).status).toBe(404);
    const written = await lastEvents(2);
    expect(written).toMatchObject([
      { type: "token.added", task: null, actor: { name: "alice" }, data: { name: "bob", rights: ["submit"] } },
      { type: "token.removed", task: null, actor: { name: "alice" }, data: { name: "bob" } },
    ]);
    expect(JSON.stringify(written)).not.toContain(token);
  });
});

async function lastEvents(count: number) {
  const after = (await api.store.events.lastEventId()) - count;
  return await api.store.events.listEvents({ after, task: null, limit: count });
}

describe("projects", () => {
  it("are registered without trust, then trusted by the hash of what was shown", async () => {
    const registered = await reply("POST /projects", { body: { path: "/src/shop" } });
    const wanted = { key: "sandbox.network", wanted: "https://bob:pw@x" };
    expect(registered.pending).toMatchObject({ hash: "h1", changes: [wanted] });
    expect((await api.store.projects.getProject("shop"))?.accepted).toBe("{}");

    const blind = await api.request("POST", `${BASE}/projects`, { body: { path: "/src/shop", accept: "h0" } });
    expect(blind.status).toBe(409);
    expect((await api.store.projects.getProject("shop"))?.accepted).toBe("{}");

    const accepted = await reply("POST /projects", { body: { path: "/src/shop", accept: "h1" } });
    expect(accepted).toMatchObject({ project: { accepted_by: "alice" }, pending: { changes: [] } });
    expect(await lastEvents(2)).toMatchObject([
      { type: "project.registered", actor: { name: "alice" }, data: { project: "shop" } },
      { type: "project.trusted", actor: { name: "alice" }, data: { project: "shop" } },
    ]);
    expect((await reply("GET /projects/:name/trust", { path: "/projects/shop/trust" })).changes).toEqual([]);
    expect((await reply("GET /projects")).projects).toMatchObject([{ name: "shop", default_branch: "main" }]);
  });

  it("show the credentials in requested values only to those who may accept them", async () => {
    const { accepted, ...known } = (await api.store.projects.getProject("shop"))!;
    await api.store.projects.saveProject({ ...known, accepted: "{}" }, makeEvent({ type: "project.registered" }));
    const path = "/projects/shop/trust";
    const reader = { name: "reader", hash: hashToken("readers-token"), rights: [], createdAt: NOW };
    await api.store.people.addToken(reader, makeEvent());
    const headers = { authorization: "Bearer readers-token" };
    const shown = await api.request("GET", `${BASE}${path}`, { headers });
    expect(await shown.json()).toMatchObject({ changes: [{ key: "sandbox.network", wanted: "https://x" }] });
    expect((await reply("GET /projects/:name/trust", { path })).changes).toMatchObject([
      { wanted: "https://bob:pw@x" },
    ]);
    await api.store.projects.saveProject({ ...known, accepted }, makeEvent({ type: "project.trusted" }));
  });

  it("keep what was accepted when they are registered again, and say nothing new", async () => {
    const before = await api.store.projects.getProject("shop");
    const last = await api.store.events.lastEventId();
    await reply("POST /projects", { body: { path: "/src/shop" } });
    expect(await api.store.projects.getProject("shop")).toEqual(before);
    expect(await api.store.events.lastEventId()).toBe(last);
  });

  it("do not hand their trust to another repository of the same name", async () => {
    const known = await api.store.projects.getProject("shop");
    if (known === null) throw new Error("the project is gone");
    await api.store.projects.saveProject(
      { ...known, path: "/elsewhere/shop" },
      makeEvent({ type: "project.registered" }),
    );
    const response = await api.request("POST", `${BASE}/projects`, { body: { path: "/src/shop", accept: "h1" } });
    expect(response.status).toBe(409);
    expect((await api.store.projects.getProject("shop"))?.path).toBe("/elsewhere/shop");
  });

  it("are one for a folder, whatever it calls itself later", async () => {
    const known = await api.store.projects.getProject("shop");
    if (known === null) throw new Error("the project is gone");
    const before = { ...known, name: "old-shop", path: "/src/shop" };
    await api.store.projects.saveProject(before, makeEvent({ type: "project.registered" }));
    for (const body of [{ path: "/src/shop" }, { path: "/src/shop", accept: "h1" }]) {
      const response = await api.request("POST", `${BASE}/projects`, { body });
      expect(response.status).toBe(409);
      const said = JSON.stringify(await response.json());
      expect(said).toContain('is registered as \\"old-shop\\", but its name is now \\"shop\\"');
      expect(said).toContain("Set `project: old-shop` in nightshift.yaml");
    }
    expect(await api.store.projects.listProjects()).toEqual([before, known]);
    await reply("DELETE /projects/:name", { path: "/projects/old-shop" });
    expect(await api.store.projects.listProjects()).toEqual([known]);
    expect(await lastEvents(1)).toMatchObject([
      { type: "project.removed", task: null, actor: { kind: "person", name: "alice" }, data: { project: "old-shop" } },
    ]);
  });

  it("tell a changed remote from another repository", async () => {
    const known = await api.store.projects.getProject("shop");
    if (known === null) throw new Error("the project is gone");
    const moved = { ...known, path: "/src/shop", remote: "https://ada:secret@git.example.com/old.git" };
    await api.store.projects.saveProject(moved, makeEvent({ type: "project.trusted" }));
    const response = await api.request("POST", `${BASE}/projects`, { body: { path: "/src/shop" } });
    const said = JSON.stringify(await response.json());
    expect(said).toContain(
      "was registered with the remote https://git.example.com/old.git, but its remote is now /src/shop",
    );
    expect(said).not.toContain("secret");
    await api.store.projects.saveProject(known, makeEvent({ type: "project.trusted" }));
  });

  it("need a place, and only one", async () => {
    for (const body of [{}, { path: "/a", url: "u" }, { path: "relative" }]) {
      expect((await api.request("POST", `${BASE}/projects`, { body })).status).toBe(400);
    }
  });

  it("are kept while they have unfinished tasks", async () => {
    expect((await api.request("DELETE", `${BASE}/projects/shop`)).status).toBe(409);
    expect((await api.request("DELETE", `${BASE}/projects/nowhere`)).status).toBe(404);
    expect(await api.store.projects.getProject("shop")).not.toBeNull();
  });
});
