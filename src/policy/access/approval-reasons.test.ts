import { describe, expect, it } from "vitest";
import { findApprovalReasons } from "./approval-reasons.ts";

const PLAN = { tools: ["Read", "Bash"], needs_git: false, estimate: { tokens: 1000, minutes: 1, usd: 0.5 } };
const POLICY = { readOnly: true, maxUsd: 1, directories: ["/data/reports"] };

function reasons(plan: Partial<typeof PLAN>, directories: readonly string[], policy: Partial<typeof POLICY> = {}) {
  return findApprovalReasons({ ...PLAN, ...plan }, directories, { ...POLICY, ...policy });
}

describe("the user's auto_approve", () => {
  it("covers plans that only read, and those that write to the listed directories", () => {
    expect(reasons({}, [])).toEqual([]);
    expect(reasons({}, ["/data/reports", "/data/reports/2026"])).toEqual([]);
    expect(
      findApprovalReasons({ ...PLAN, estimate: { tokens: 1, minutes: 1 } }, [], { ...POLICY, maxUsd: null }),
    ).toEqual([]);
  });

  it.each([
    ["another directory", {}, ["/data/reports-old"], "It writes to /data/reports-old."],
    ["a parent of a listed directory", {}, ["/data"], "It writes to /data."],
    ["git", { needs_git: true }, [], "It needs git"],
    ["a tool of an MCP server", { tools: ["mcp__jira__create"] }, [], "It uses mcp__jira__create"],
    ["more money", { estimate: { tokens: 1, minutes: 1, usd: 1.01 } }, [], "$1.01. `auto_approve.max_usd` is 1."],
  ])("does not cover %s", (_what, plan, directories, reason) => {
    expect(reasons(plan, directories)).toEqual([expect.stringContaining(reason)]);
  });

  it("does not cover a plan without an estimated cost if it limits the cost", () => {
    const plan = { ...PLAN, estimate: { tokens: 1, minutes: 1 } };
    expect(findApprovalReasons(plan, [], POLICY)).toEqual(["It has no estimated cost. `auto_approve.max_usd` is 1."]);
  });

  it("can exclude plans that only read", () => {
    expect(reasons({}, [], { readOnly: false })).toEqual(["It only reads, and `auto_approve.read_only` is false."]);
  });

  it("names every reason", () => {
    expect(reasons({ needs_git: true }, ["/a", "/b"], { directories: [] })).toEqual([
      "It writes to /a. `auto_approve.directories` lists: nothing.",
      "It writes to /b. `auto_approve.directories` lists: nothing.",
      "It needs git, which `auto_approve` never allows.",
    ]);
  });
});
