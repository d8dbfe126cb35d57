import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { z } from "zod";
import { BASE } from "../contract/route.ts";
import { ROUTES } from "../contract/routes.ts";
import { type Harness, makeEvent, makeTask, NOW, openHarness, saveTask } from "../harness.suite.ts";

let api: Harness;

beforeEach(async () => {
  api = await openHarness();
});

afterEach(async () => {
  await api.close();
});

type Page = z.output<(typeof ROUTES)["GET /decisions"]["ok"]>;

async function list(query = ""): Promise<Page> {
  const response = await api.request("GET", `${BASE}/decisions${query}`);
  expect(response.status).toBe(200);
  return ROUTES["GET /decisions"].ok.parse(await response.json());
}

async function decide(task: string, at: number, data: Readonly<Record<string, unknown>>): Promise<void> {
  const actor = { kind: "person", name: "bob" } as const;
  const summary = `${String(data["decision"])}: because`;
  await api.store.events.appendEvents([makeEvent({ type: "task.decided", task, at, data, actor, summary })]);
}

describe("GET /decisions", () => {
  it("lists who decided what, newest first, with the document it was about", async () => {
    const { task } = await saveTask(api.store, makeTask({ title: "Speed up the search" }));
    await decide(task.id, NOW - 2, { decision: "revise", plan_hash: "h1", via: "page" });
    await decide(task.id, NOW - 1, { decision: "approve", plan_hash: "h2", via: "cli" });
    const { decisions, next } = await list();
    expect(next).toBeNull();
    expect(decisions.map(({ kind, plan_hash, via }) => [kind, plan_hash, via])).toEqual([
      ["approved", "h2", "cli"],
      ["revised", "h1", "page"],
    ]);
    expect(decisions[0]).toMatchObject({
      task: task.id,
      title: "Speed up the search",
      project: "shop",
      by: { kind: "person", name: "bob" },
      summary: "because",
      at: new Date(NOW - 1).toISOString(),
    });
  });

  it("has pages without gaps or repetition, even if several decisions have the same time", async () => {
    const { task } = await saveTask(api.store, makeTask());
    for (const decision of ["a", "b", "c", "d", "e"]) await decide(task.id, NOW, { decision });
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: Page = await list(`?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
      seen.push(...page.decisions.map(({ kind }) => kind));
      cursor = page.next;
    }
    expect(seen).toEqual(["e", "d", "c", "b", "a"]);
  });

  it("can be limited to one task, and keeps the decisions about a deleted one", async () => {
    const { task } = await saveTask(api.store, makeTask());
    await decide("task_deleted0", NOW, { decision: "cancel" });
    await decide(task.id, NOW, { decision: "retry" });
    expect((await list(`?task=${task.id}`)).decisions).toMatchObject([{ kind: "retried" }]);
    const deleted = (await list()).decisions.find(({ task: id }) => id === "task_deleted0");
    expect(deleted).toMatchObject({ kind: "cancelled", title: null, project: null, short_id: "task_deleted0" });
  });

  it("refuses an invalid cursor and an unknown task", async () => {
    expect((await api.request("GET", `${BASE}/decisions?cursor=yesterday`)).status).toBe(400);
    expect((await api.request("GET", `${BASE}/decisions?task=zzzz`)).status).toBe(404);
  });
});

async function pauseWith(headers: Record<string, string>): Promise<unknown> {
  const { task } = await saveTask(api.store, makeTask());
  await api.request("POST", `${BASE}/tasks/${task.id}/pause`, { headers });
  return api.calls.at(-1)?.at(-1);
}

describe("the origin of a decision", () => {
  it("is the command line or another client of the API", async () => {
    expect(await pauseWith({ "user-agent": "nightshift-cli" })).toMatchObject({ via: "cli" });
    expect(await pauseWith({ "user-agent": "curl/8" })).toMatchObject({ via: "api" });
  });
});
