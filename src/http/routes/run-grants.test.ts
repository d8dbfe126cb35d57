import { afterAll, beforeAll, expect, it } from "vitest";
import { BASE } from "../contract/route.ts";
import { ROUTES } from "../contract/routes.ts";
import { type Harness, makeTask, NOW, openHarness, saveTask } from "../harness.suite.ts";

let api: Harness;
let task: string;
let run: string;

beforeAll(async () => {
  api = await openHarness();
  const saved = await saveTask(api.store, makeTask({ status: "running" }));
  task = saved.task.id;
  run = saved.admitted[0] ?? "";
});

afterAll(async () => {
  await api.close();
});

async function get(path: string): Promise<unknown> {
  const response = await api.request("GET", `${BASE}${path}`);
  expect(response.status).toBe(200);
  return await response.json();
}

it("GET /runs/:id/prompt returns the prompt, also for the prefix of an id", async () => {
  const prompt = ROUTES["GET /runs/:id/prompt"].ok.parse(await get(`/runs/${run.slice(0, 12)}/prompt`));
  expect(prompt).toEqual({ run, prompt: "Tidy up." });
  expect((await api.request("GET", `${BASE}/runs/zzzz/prompt`)).status).toBe(404);
});

it("a run says what its agent was granted and limited to, but not in lists", async () => {
  const path = `/runs/${run}`;
  expect(ROUTES["GET /runs/:id"].ok.parse(await get(path))).toMatchObject({ grants: null, limits: null });
  const lease = { run, token: (await api.store.tasks.takeRun(run, NOW))?.token ?? 0 };
  const grants = {
    tools: ["Edit"],
    commands: null,
    directories: [{ path: "/w", access: "write" } as const],
    network: ["registry.example"],
    secrets: ["NPM_TOKEN"],
    mcp: ["docs"],
    sandbox: "enforce",
  };
  const granted = { limits: { timeoutMs: 5, maxTurns: null, budgetUsd: 2 }, grants };
  await api.store.tasks.updateRun(lease, { granted });
  const shown = { grants, limits: { timeout_ms: 5, max_turns: null, budget_usd: 2 } };
  expect(ROUTES["GET /runs/:id"].ok.parse(await get(path))).toMatchObject(shown);
  expect(ROUTES["GET /tasks/:id"].ok.parse(await get(`/tasks/${task}`)).runs).toMatchObject([shown]);
  const { runs } = ROUTES["GET /runs"].ok.parse(await get(`/runs?task=${task}`));
  expect(runs).toMatchObject([{ id: run, grants: null, limits: null }]);
});
