import { afterAll, beforeAll, expect, it } from "vitest";
import { BASE } from "../contract/route.ts";
import { ROUTES } from "../contract/routes.ts";
import { type Harness, makeTask, openHarness, saveTask } from "../harness.suite.ts";

let api: Harness;

beforeAll(async () => {
  api = await openHarness();
  const save = (task: Parameters<typeof makeTask>[0]) => saveTask(api.store, makeTask(task));
  await save({ title: "Speed up search", pipeline: "feature", tags: ["ui"], status: "waiting" });
  await save({ title: "Speed up the cart", pipeline: "chore", tags: ["ui", "cart"], status: "running" });
  await save({ title: "Remove the cart", pipeline: "chore", project: "other", status: "failed" });
});

afterAll(async () => {
  await api.close();
});

it.each([
  ["pipeline=chore", ["Remove the cart", "Speed up the cart"], { running: 1, failed: 1, waiting: 0 }],
  ["text=SPEED%20up", ["Speed up search", "Speed up the cart"], { running: 1, waiting: 1 }],
  ["tag=ui&status=waiting", ["Speed up search"], { waiting: 1, running: 0 }],
  ["agent=mine", ["Speed up the cart"], { running: 1, waiting: 0 }],
  ["project=other&text=cart", ["Remove the cart"], { failed: 1, running: 0 }],
  ["project=shop", ["Speed up search", "Speed up the cart"], { running: 1, waiting: 1, failed: 0 }],
  ["pipeline=bugfix", [], { running: 0, waiting: 0, failed: 0 }],
])("GET /tasks and GET /task-counts agree about ?%s", async (query, titles, counts) => {
  const listed = await api.request("GET", `${BASE}/tasks?${query}`);
  const { tasks } = ROUTES["GET /tasks"].ok.parse(await listed.json());
  expect(tasks.map(({ title }) => title).toSorted()).toEqual(titles);
  const counted = await api.request("GET", `${BASE}/task-counts?${query}`);
  expect(ROUTES["GET /task-counts"].ok.parse(await counted.json()).counts).toMatchObject(counts);
});

it.each(["text=", "tag=&status=waiting", "pipelin=chore"])("GET /tasks refuses ?%s", async (query) => {
  expect((await api.request("GET", `${BASE}/tasks?${query}`)).status).toBe(400);
});
