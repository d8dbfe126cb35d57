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

it("GET /projects/:name/settings returns what applies, with names of secrets and without values", async () => {
  const response = await api.request("GET", `${BASE}/projects/shop/settings`);
  const text = await response.text();
  expect(text).not.toContain("hunter2");
  const settings = ROUTES["GET /projects/:name/settings"].ok.parse(JSON.parse(text));
  expect(settings).toMatchObject({
    checks: [{ name: "test", command: "npm test", severity: "error" }],
    secrets: [{ name: "SHOP_KEY", roles: ["implement"] }],
    mcp: ["notes"],
    gates: { plan: "person", merge: "person" },
    improve: { max_diff_lines: 100 },
  });
  expect(settings.roles.find(({ role }) => role === "implement")?.agent).toBe(settings.agent);
});

it("GET /projects/:name/settings refuses an unknown project", async () => {
  expect((await api.request("GET", `${BASE}/projects/nothing/settings`)).status).toBe(404);
});
