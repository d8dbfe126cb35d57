import { afterAll, beforeAll, expect, it } from "vitest";
import { BASE } from "../contract/route.ts";
import { ROUTES } from "../contract/routes.ts";
import { type Harness, openHarness } from "../harness.suite.ts";

let api: Harness;

beforeAll(async () => {
  api = await openHarness();
});
afterAll(async () => {
  await api.close();
});

async function preview(more: object) {
  const body = { project: "shop", description: "Paint it", ...more };
  const response = await api.request("POST", `${BASE}/tasks/preview`, { body });
  return ROUTES["POST /tasks/preview"].ok.parse(await response.json());
}

it("POST /tasks/preview returns the steps and calls no command", async () => {
  api.calls.length = 0;
  const { steps, problems } = await preview({});
  expect(steps).toMatchObject([{ state: "implementing", agents: [{ agent: "mine", model: null }], max_usd: 2 }]);
  expect(problems).toEqual([]);
  expect(api.calls).toEqual([]);
});

it("POST /tasks/preview reports unknown tasks together with the other problems", async () => {
  const { problems } = await preview({ pipeline: "nope", after: ["zzz"], related: "yyy" });
  expect(problems.map(({ key }) => key)).toEqual(["pipeline", "after", "related"]);
});
