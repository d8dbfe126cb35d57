import { describe, expect, it } from "vitest";
import { describeResults, judgeChange, type CheckedChange } from "./judge-change.ts";
import type { CheckResult, CheckStatus, Severity } from "../run.ts";

const result = (name: string, status: CheckStatus, severity: Severity = "error"): CheckResult => ({
  run: "run_1",
  name,
  severity,
  status,
  exitCode: null,
  durationMs: 1,
  tail: "",
});

const judge = (results: readonly CheckResult[], rest: Partial<CheckedChange> = {}) =>
  judgeChange({ results, withBaseGates: [], gates: [], proofs: [], doubts: [], failOnWarning: false, ...rest });

describe("judgeChange", () => {
  it.each<[what: string, results: readonly CheckResult[], kind: string]>([
    ["no checks", [], "passed"],
    ["a check that passed", [result("test", "passed")], "passed"],
    ["a flaky check", [result("test", "flaky")], "passed"],
    ["one of two checks passed", [result("test", "inconclusive"), result("build", "passed")], "passed"],
    ["a failed check", [result("test", "failed"), result("build", "passed")], "failed"],
    ["only checks that could not run", [result("test", "could_not_run")], "inconclusive"],
    ["only inconclusive checks", [result("test", "inconclusive")], "inconclusive"],
    [
      "a passed warning next to a check that could not run",
      [result("lint", "passed", "warning"), result("test", "could_not_run")],
      "inconclusive",
    ],
    ["a failed warning, and nothing else", [result("lint", "failed", "warning")], "passed"],
  ])("%s", (_what, results, kind) => {
    expect(judge(results).kind).toBe(kind);
  });

  it("a failed warning rejects the change with fail_on_warning", () => {
    expect(judge([result("lint", "failed", "warning")], { failOnWarning: true }).kind).toBe("failed");
  });

  it("with fail_on_warning, a warning without a result is no pass, and one that passed is", () => {
    expect(judge([result("lint", "inconclusive", "warning")], { failOnWarning: true }).kind).toBe("inconclusive");
    const one = [result("test", "could_not_run"), result("lint", "passed", "warning")];
    expect(judge(one, { failOnWarning: true }).kind).toBe("passed");
  });

  it("a change of the gates is never a pass, and fails if the checks of the base fail", () => {
    const gates = ["check.sh"];
    expect(judge([result("test", "passed")], { gates })).toEqual({
      kind: "inconclusive",
      reason: "the change alters what is checked (check.sh)",
    });
    const failed = result("test (as on the base)", "failed");
    expect(judge([result("test", "passed")], { gates, withBaseGates: [failed] })).toEqual({
      kind: "failed",
      failed: [failed],
    });
  });
});

describe("judgeChange: proofs about the tests", () => {
  const passed = [result("test", "passed")];

  it("a failed proof of severity error fails the change, and a warning is only shown", () => {
    const proof = result("tests of the base", "failed");
    expect(judge(passed, { proofs: [proof] })).toEqual({ kind: "failed", failed: [proof] });
    const warning = { ...proof, severity: "warning" as const };
    expect(judge(passed, { proofs: [warning], failOnWarning: true }).kind).toBe("passed");
  });

  it("a doubt is never a pass", () => {
    expect(judge(passed, { doubts: ["fewer tests run"] })).toEqual({ kind: "inconclusive", reason: "fewer tests run" });
  });
});

describe("describeResults", () => {
  it("lists each check, and says so if there are none", () => {
    expect(describeResults([result("a", "could_not_run"), result("b", "passed")])).toBe("a: could not run, b: passed");
    expect(describeResults([])).toBe("no checks configured");
  });
});
