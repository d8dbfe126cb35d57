import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeProposal, makeRule } from "../../testing/builders.ts";
import { explainedSchema, proposalSchema, ruleSchema, type ProposalJson, type RuleJson } from "../contract/rule.ts";
import { makeEvent, NOW, openHarness, type Harness } from "../harness.suite.ts";

let api: Harness;

beforeEach(async () => {
  api = await openHarness();
});
afterEach(async () => {
  await api.close();
});

async function read<T>(path: string): Promise<T> {
  const response = await api.request("GET", `/api/v1${path}`);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

describe("API: rules", () => {
  it("are listed by project, expired ones only if requested", async () => {
    await api.store.ledger.saveRule(
      makeRule({ id: "rule_1", expiresAt: NOW, proposal: "prop_1", url: "u" }),
      makeEvent(),
    );
    await api.store.ledger.saveRule(makeRule({ id: "rule_2", project: "api", at: 2_000 }), makeEvent());
    const ids = async (query: string) =>
      (await read<{ rules: RuleJson[] }>(`/rules${query}`)).rules.map(({ id }) => id);
    expect(await ids("")).toEqual(["rule_2"]);
    expect(await ids("?project=shop")).toEqual([]);
    expect(await ids("?expired=true")).toEqual(["rule_1", "rule_2"]);
    const { rules } = await read<{ rules: RuleJson[] }>("/rules?project=shop&expired=true");
    expect(rules.map((rule) => ruleSchema.parse(rule))).toEqual([
      {
        id: "rule_1",
        project: "shop",
        text: "Leave src/legacy alone.",
        proposal: "prop_1",
        url: "u",
        by: "ada",
        created_at: "1970-01-01T00:00:01.000Z",
        updated_at: "1970-01-01T00:00:01.000Z",
        expires_at: new Date(NOW).toISOString(),
        expired: true,
      },
    ]);
  });

  it("are added, changed and removed by commands in the caller's name", async () => {
    const added = await api.request("POST", "/api/v1/rules", {
      body: { project: "shop", text: "x", expires_at: null },
    });
    expect(added.status).toBe(201);
    expect(ruleSchema.parse(await added.json())).toMatchObject({ by: "alice", text: "x" });
    await api.request("POST", "/api/v1/rules", { body: { project: "shop", text: "y" } });
    const changed = await api.request("POST", "/api/v1/rules/rule_1", {
      body: { expires_at: "2027-01-01T00:00:00+01:00" },
    });
    expect(changed.status).toBe(200);
    await api.request("POST", "/api/v1/rules/rule_1", { body: { text: "z" } });
    expect((await api.request("DELETE", "/api/v1/rules/rule_1")).status).toBe(204);
    expect(api.calls).toEqual([
      ["addRule", { project: "shop", text: "x", expiresAt: null }, "alice"],
      ["addRule", { project: "shop", text: "y" }, "alice"],
      ["editRule", "rule_1", { expiresAt: Date.UTC(2026, 11, 31, 23) }],
      ["editRule", "rule_1", { text: "z" }],
      ["removeRule", "rule_1"],
    ]);
  });

  it.each([
    ["POST", "/rules", { project: "shop" }],
    ["POST", "/rules", { project: "shop", text: "x", expires_at: "soon" }],
    ["POST", "/rules/rule_1", {}],
    ["POST", "/rules/rule_1", { id: "rule_2", text: "x" }],
    ["POST", "/proposals/prop_1/reason", { kind: "ugly" }],
    ["GET", "/rules?expired=perhaps", undefined],
    ["GET", "/proposals?status=lost", undefined],
  ])("%s %s refuses %j", async (method, path, body) => {
    const response = await api.request(method, `/api/v1${path}`, body === undefined ? {} : { body });
    expect(response.status).toBe(400);
    expect(api.calls).toEqual([]);
  });
});

describe("API: proposals", () => {
  it("are listed by project and status, newest first", async () => {
    const reason = { kind: "style", text: "", by: "ada", at: NOW } as const;
    await api.store.ledger.saveProposals([
      makeProposal({ id: "prop_1" }),
      makeProposal({ id: "prop_2", status: "closed", at: 2_000, reason, askedAt: NOW }),
    ]);
    const { proposals } = await read<{ proposals: ProposalJson[] }>("/proposals?project=shop&status=closed,merged");
    expect(proposals.map((each) => proposalSchema.parse(each))).toMatchObject([
      { id: "prop_2", status: "closed", reason: { kind: "style", at: new Date(NOW).toISOString() } },
    ]);
    expect((await read<{ proposals: ProposalJson[] }>("/proposals?limit=1")).proposals).toHaveLength(1);
  });

  it("get a reason, by the id of the proposal or the task", async () => {
    const given = await api.request("POST", "/api/v1/proposals/task_1/reason", { body: { kind: "too_big" } });
    expect(given.status).toBe(200);
    expect(explainedSchema.parse(await given.json())).toMatchObject({ proposal: { reason: { by: "alice" } } });
    expect(api.calls).toEqual([["giveReason", "task_1", { kind: "too_big", text: "" }, "alice"]]);
  });
});
