import { afterAll, beforeAll, expect, it } from "vitest";
import { BASE } from "../contract/route.ts";
import { ROUTES } from "../contract/routes.ts";
import { type Harness, openHarness } from "../harness.suite.ts";

let api: Harness;

beforeAll(async () => {
  api = await openHarness();
  await api.request("POST", `${BASE}/projects`, { body: { path: "/src/shop" } });
});

afterAll(async () => {
  await api.close();
});

it("GET /pipelines returns states, outcomes, targets and limits", async () => {
  const response = await api.request("GET", `${BASE}/pipelines?project=shop`);
  const { pipelines } = ROUTES["GET /pipelines"].ok.parse(await response.json());
  const [chore] = pipelines;
  expect(chore).toMatchObject({ name: "chore", project: "shop" });
  const checks = chore?.states.find(({ kind }) => kind === "checks");
  expect(checks?.on).toContainEqual(expect.objectContaining({ limit: expect.objectContaining({ name: "repair" }) }));
});

it("GET /pipelines refuses an unknown project", async () => {
  expect((await api.request("GET", `${BASE}/pipelines?project=nothing`)).status).toBe(404);
});
