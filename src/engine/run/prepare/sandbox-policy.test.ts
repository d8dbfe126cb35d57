import { expect, test } from "vitest";
import type { Role } from "../../../core/task/role.ts";
import { TEST_LIMITS } from "../../../testing/policy.ts";
import { agentPolicy, commandPolicy } from "./sandbox-policy.ts";
import type { StepContext } from "../step-context.ts";

const sandbox = { write: [], read: [], network: [], commands: null };
/** Of all that a step knows, what decides about its sandbox. */
const context = {
  ports: {
    host: { home: "/nightshift" },
    sandbox: { limitsFor: (timeoutMs: number) => ({ ...TEST_LIMITS, cpuSeconds: timeoutMs / 500 }) },
  },
  settings: {
    sandbox,
    roles: { implement: { commands: null }, review: { commands: null }, publish: { commands: null } },
  },
  state: { agent: { commands: null } },
} as unknown as StepContext;
const place = {
  workspace: { path: "/work", objects: [] },
  paths: { home: "/h", tmp: "/t", outcomeDir: "/o", promptFile: "/p", filesDir: "/f" },
  env: {},
  timeoutMs: 60_000,
} as unknown as Parameters<typeof commandPolicy>[1];

const policyOf = (role: Role) =>
  agentPolicy(context, { ...place, role, read: [], programs: [], hide: [], network: [] });

test("the limits are those of the command's own time", () => {
  expect([policyOf("implement"), commandPolicy(context, place)].map(({ limits }) => limits.cpuSeconds)).toEqual([
    120, 120,
  ]);
});

test("an agent that works is told when there is no gateway; who judges, and checks, get no Node for that", () => {
  const policies = [policyOf("implement"), policyOf("review"), commandPolicy(context, place)];
  expect(policies.map(({ answersNoModel }) => answersNoModel)).toEqual([true, false, false]);
});

test("an agent that publishes reaches the forge and nobody else, reads its workspace, and runs nothing from it", () => {
  const open = {
    ...context,
    settings: { ...context.settings, sandbox: { ...context.settings.sandbox, network: ["npm.example"] } },
  };
  const network = ["gitlab.example.com"];
  const policy = agentPolicy(open, { ...place, role: "publish", read: [], programs: [], hide: [], network });
  expect(policy).toMatchObject({ network, commands: ["git", "gh", "glab"], executes: false });
  expect(policy.own.write).not.toContain("/work");
});
