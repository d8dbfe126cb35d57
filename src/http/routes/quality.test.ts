import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BASE } from "../contract/route.ts";
import { ROUTES } from "../contract/routes.ts";
import { endRun, type Harness, makeTask, openHarness, saveTask } from "../harness.suite.ts";

let api: Harness;

beforeAll(async () => {
  api = await openHarness();
  for (const project of ["shop", "shop", "api"]) {
    const created = await saveTask(api.store, makeTask({ status: "running", project }));
    await endRun(api.store, created.task, created.admitted[0] ?? "");
  }
});

afterAll(async () => {
  await api.close();
});

async function quality(query: string) {
  const response = await api.request("GET", `${BASE}/quality?${query}`);
  return ROUTES["GET /quality"].ok.parse(await response.json());
}

describe("GET /quality", () => {
  it("gives counts with every rate, and the costs of GET /costs", async () => {
    const { rows, total, by } = await quality("by=project");
    expect(by).toEqual(["project"]);
    expect(rows.map(({ project, runs, cost_usd }) => [project, runs.ended, cost_usd])).toEqual([
      ["api", 1, 0.25],
      ["shop", 2, 0.5],
    ]);
    expect(total).toMatchObject({
      runs: { ended: 3, succeeded: 3 },
      success_rate: null,
      median_ms: 2000,
      attempts: 1,
      tasks: { ended: 3, succeeded: 3 },
      changes: { published: 0 },
      cost_usd: 0.75,
      cost_per_merged_usd: null,
    });
  });

  it("keeps the costs of deleted tasks in the rows, so that they add up", async () => {
    const created = await saveTask(api.store, makeTask({ status: "running", project: "gone" }));
    await endRun(api.store, created.task, created.admitted[0] ?? "");
    const event = { at: 0, task: null, run: null, type: "task.deleted", level: "info", summary: "", data: {} } as const;
    await api.store.tasks.deleteTask(created.task.id, { ...event, actor: { kind: "person", name: "alice" } });
    const { rows, total } = await quality("by=project");
    expect(rows.find(({ project }) => project === "gone")).toMatchObject({ runs: { ended: 0 }, cost_usd: 0.25 });
    expect(total.cost_usd).toBe(1);
  });

  it("groups by agent and model unless asked otherwise, and refuses other dimensions", async () => {
    expect((await quality("")).by).toEqual(["agent", "model"]);
    for (const query of ["by=day", "by=agent,", "since=tomorrow"])
      expect((await api.request("GET", `${BASE}/quality?${query}`)).status, query).toBe(400);
  });
});

describe("GET /nights", () => {
  it("lists each night once, with the costs of GET /costs by night", async () => {
    const response = await api.request("GET", `${BASE}/nights?nights=3&project=shop`);
    const { nights } = ROUTES["GET /nights"].ok.parse(await response.json());
    expect(nights.map(({ night, result, runs, cost_usd }) => [night, result, runs, cost_usd])).toEqual([
      ["2026-11-13", "idle", 0, 0],
      ["2026-11-14", "idle", 0, 0],
      ["2026-11-15", "unchanged", 2, 0.5],
    ]);
    expect(nights[2]).toMatchObject({ since: "2026-11-15T11:00:00.000Z", until: "2026-11-16T11:00:00.000Z" });
    const costs = ROUTES["GET /costs"].ok.parse(
      await (await api.request("GET", `${BASE}/costs?by=night&project=shop`)).json(),
    );
    expect(costs.rows).toMatchObject([{ night: "2026-11-15", cost_usd: 0.5 }]);
  });
});
