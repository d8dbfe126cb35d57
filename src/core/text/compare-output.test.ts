import { describe, expect, it } from "vitest";
import { saysTheSame } from "./compare-output.ts";

describe("saysTheSame", () => {
  it.each([
    ["durations", "1 failed in 3.21 s", "1 failed in 4.02 s"],
    ["commits", "at 1f2e3d4c5b6a", "at 0a9b8c7d6e5f"],
    [
      "paths of trees",
      "/home/me/workspaces/task_a/run_b/src/x.ts failed",
      "/home/me/workspaces/task_a/run_b.baseline/src/x.ts failed",
    ],
    ["blanks", "a  b\n\nc", "a b c\n"],
  ])("does not mind %s", (_what, one, other) => {
    expect(saysTheSame(one, other)).toBe(true);
  });

  it("minds other words", () => {
    expect(saysTheSame("expected night, got day", "expected night, got nihgt")).toBe(false);
  });

  it("minds how many failed", () => {
    expect(saysTheSame("failures=1 in 0.3 s", "failures=7 in 0.3 s")).toBe(false);
  });
});
