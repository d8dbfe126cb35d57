import { describe, expect, test } from "vitest";
import { findPlanProblems, type PlanLimits } from "./plan-problems.ts";
import type { ExecutionPlan } from "../../core/outcomes/execution-plan.ts";

const LIMITS: PlanLimits = {
  allowed: { write: [], read: [], network: ["*.example.com"], commands: ["git", "npm test"] },
  tools: ["Read", "Bash"],
  directories: [],
  inPlace: false,
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
