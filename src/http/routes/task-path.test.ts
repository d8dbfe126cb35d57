import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Task } from "../../core/task/task.ts";
import { BASE } from "../contract/route.ts";
import { ROUTES } from "../contract/routes.ts";
import { type Harness, makeTask, openHarness, saveTask } from "../harness.suite.ts";

let api: Harness;
let task: Task;
let run: string;

beforeAll(async () => {
  api = await openHarness();
  const created = await saveTask(
    api.store,
    makeTask({ status: "running", counters: { repair: 2, "ran:implement": 3 } }),
  );
  task = created.task;
  run = created.admitted[0] ?? "";
});

afterAll(async () => {
  await api.close();
});

async function get(path: string): Promise<unknown> {
  return await (await api.request("GET", `${BASE}${path}`)).json();
}

describe("API: the pipeline of a task", () => {
  it("has the states in the order of its file, with the limits that the project's settings replace", async () => {
    const { states, limits, ...pipeline } = ROUTES["GET /tasks/:id/pipeline"].ok.parse(
      await get(`/tasks/${task.id}/pipeline`),
    );
    expect(pipeline).toEqual({ name: "feature", project: "shop", start: "designing" });
    expect(states.map(({ name }) => name).slice(0, 3)).toEqual(["designing", "design_review", "planning"]);
    expect(states.find(({ name }) => name === "designing")?.on[0]).toEqual({
      outcome: null,
      to: "planning",
      limit: null,
      otherwise: false,
    });
    expect(limits).toContainEqual({ name: "repair", max: 5, used: 2 });
    expect(limits).toContainEqual({ name: "review", max: 3, used: 0 });
    const checking = states.find(({ name }) => name === "checking");
    expect(checking).toMatchObject({ kind: "checks", role: null, waits_for: null, end: null });
    expect(checking?.on.filter(({ outcome }) => outcome === "checks_failed")).toEqual([
      { outcome: "checks_failed", to: "implementing", limit: { name: "repair", max: 5 }, otherwise: false },
      { outcome: "checks_failed", to: "failed", limit: null, otherwise: true },
    ]);
    expect(states.find(({ name }) => name === "merging")).toMatchObject({ kind: "wait", waits_for: "merge" });
    expect(states.at(-1)).toMatchObject({ name: "cancelled", kind: "end", end: "cancelled" });
  });
});

describe("API: the log of a check", () => {
  it("has its place in the whole log", async () => {
    const log = ROUTES["GET /runs/:id/checks/:name/log"].ok.parse(await get(`/runs/${run}/checks/test/log?on=base`));
    expect(log).toEqual({ run, name: "test", on: "base", text: "ok", start: 10, size: 12 });
  });

  it("is missing if the check did not run", async () => {
    const response = await api.request("GET", `${BASE}/runs/${run}/checks/lint/log`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ detail: `${run} has no output of a check "lint".` });
  });
});
