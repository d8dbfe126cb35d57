import { describe, expect, test } from "vitest";
import { findPlanProblems, type PlanLimits } from "./plan-problems.ts";
import type { ExecutionPlan } from "../../core/outcomes/execution-plan.ts";

const LIMITS: PlanLimits = {
  allowed: { write: [], read: [], network: ["*.example.com"], commands: ["git", "npm test"] },
  tools: ["Read", "Bash"],
  directories: [],
  inPlace: false,
  mcp: {
    isSupported: true,
    servers: {
      jira: { tools: ["search", "get__issue"], problem: null },
      down: { tools: [], problem: "The MCP server down did not start." },
    },
  },
};

function planWith(changes: Partial<ExecutionPlan>): ExecutionPlan {
  return {
    summary: "",
    prompt: "Compare them.",
    system_prompt: undefined,
    tools: ["Read", "Bash(git log:*)"],
    directories: ["reports"],
    commands: ["git"],
    network: ["a.example.com"],
    needs_git: false,
    estimate: { tokens: 1, minutes: 1 },
    reasoning: "small",
    ...changes,
  };
}

describe("findPlanProblems", () => {
  test("finds nothing in a plan that can be granted", () => {
    expect(findPlanProblems(planWith({}), LIMITS)).toEqual([]);
    expect(findPlanProblems(planWith({ commands: undefined, network: undefined }), LIMITS)).toEqual([]);
    expect(findPlanProblems(planWith({ commands: ["npm"] }), LIMITS)).toEqual([]);
  });

  test.each<[Partial<ExecutionPlan>, string]>([
    [{ tools: ["Read", "Teleport"] }, 'Tool "Teleport" does not exist. The agent has: Read, Bash.'],
    [{ tools: ["Teleport(far)"] }, 'Tool "Teleport(far)" does not exist'],
    [{ commands: ["git", "curl"] }, 'Command "curl" is not allowed. `sandbox.commands` lists: git, npm test.'],
    [{ network: ["a.example.com:8443"] }, 'Host "a.example.com:8443" is not allowed'],
    [{ network: ["*.com"] }, 'Host "*.com" is not allowed'],
    [{ network: ["https://a.example.com/x"] }, 'Host "https://a.example.com/x" is not allowed'],
  ])("says what cannot be granted: %j", (changes, problem) => {
    const problems = findPlanProblems(planWith(changes), LIMITS);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  test.each<[string, string]>([
    ["mcp__jira__delete", 'Tool "mcp__jira__delete" does not exist. The MCP server jira has: search, get__issue.'],
    ["mcp__jira__search(x)", "The MCP server jira has: search"],
    ["mcp__jira", "does not exist"],
    ["mcp__jira__*", "does not exist"],
    ["mcp__gitlab__search", 'There is no MCP server "gitlab"; `mcp` lists: jira, down.'],
    ["mcp__constructor__search", 'There is no MCP server "constructor"'],
    ["mcp__down__search", 'Tool "mcp__down__search" is not available. The MCP server down did not start.'],
  ])("refuses a tool that no MCP server has: %s", (tool, problem) => {
    const problems = findPlanProblems(
      planWith({ tools: ["mcp__jira__search", "mcp__jira__get__issue", tool] }),
      LIMITS,
    );
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  test("refuses every tool of an MCP server if the agent cannot use one, even if its own tools are unknown", () => {
    const limits = { ...LIMITS, tools: null, mcp: { ...LIMITS.mcp, isSupported: false } };
    expect(findPlanProblems(planWith({ tools: ["mcp__jira__search", "anything"] }), limits)).toEqual([
      'Tool "mcp__jira__search" is not available. The agent cannot use MCP servers.',
    ]);
  });

  test("says that a plan cannot have git if the project's list of programs lacks it", () => {
    const limits = { ...LIMITS, allowed: { ...LIMITS.allowed, commands: ["node"] } };
    const plan = planWith({ commands: undefined, needs_git: true });
    expect(findPlanProblems(plan, LIMITS)).toEqual([]);
    expect(findPlanProblems(plan, limits)).toEqual(['Command "git" is not allowed. `sandbox.commands` lists: node.']);
  });

  test("does not check tools that are unknown, and passes on refused directories", () => {
    const limits = { ...LIMITS, tools: null, directories: ["/etc (to write) belongs to the system."] };
    expect(findPlanProblems(planWith({ tools: ["anything"] }), limits)).toEqual(limits.directories);
  });
});
