import { expect, test } from "vitest";
import type { Role } from "../../../core/task/role.ts";
import { TEST_LIMITS } from "../../../testing/policy.ts";
import { agentPolicy, commandPolicy } from "./sandbox-policy.ts";
import type { StepContext } from "../step-context.ts";

const sandbox = { write: [], read: [], network: [], commands: null };
/** The part of a step's context that its sandbox policy depends on. */
const context = {
  ports: {
    host: { home: "/nightshift" },
    sandbox: { limitsFor: (timeoutMs: number) => ({ ...TEST_LIMITS, cpuSeconds: timeoutMs / 500 }) },
  },
  settings: {
    sandbox,
    roles: { implement: { commands: null }, review: { commands: null }, publish: { commands: null } },
  },
  task: { options: {} },
  state: { agent: { commands: null } },
} as unknown as StepContext;
const params = {
  workspace: { path: "/work", objects: [], links: [] },
  paths: { home: "/h", tmp: "/t", outcomeDir: "/o", promptFile: "/p", filesDir: "/f" },
  env: {},
  timeoutMs: 60_000,
} as unknown as Parameters<typeof commandPolicy>[1];

const policyOf = (role: Role) =>
  agentPolicy(context, { ...params, role, read: [], programs: [], hide: [], network: [] });

test("the CPU limit follows from the command's timeout", () => {
  expect([policyOf("implement"), commandPolicy(context, params)].map(({ limits }) => limits.cpuSeconds)).toEqual([
    120, 120,
  ]);
});

test("only an agent that executes commands gets the Node process that answers for a missing gateway", () => {
  const policies = [policyOf("implement"), policyOf("review"), commandPolicy(context, params)];
  expect(policies.map(({ answersNoModel }) => answersNoModel)).toEqual([true, false, false]);
});

test("an agent that publishes reaches only the forge, and cannot write to its workspace or execute files in it", () => {
  const open = {
    ...context,
    settings: { ...context.settings, sandbox: { ...context.settings.sandbox, network: ["npm.example"] } },
  };
  const network = ["gitlab.example.com"];
  const policy = agentPolicy(open, { ...params, role: "publish", read: [], programs: [], hide: [], network });
  expect(policy).toMatchObject({ network, commands: ["git", "gh", "glab"], executes: false });
  expect(policy.own.write).not.toContain("/work");
});
