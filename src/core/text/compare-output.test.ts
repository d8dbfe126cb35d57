import { describe, expect, it } from "vitest";
import { isSameOutput } from "./compare-output.ts";

describe("isSameOutput", () => {
  it.each([
    ["durations", "1 failed in 3.21 s", "1 failed in 4.02 s"],
    ["commits", "at 1f2e3d4c5b6a", "at 0a9b8c7d6e5f"],
    [
      "workspace paths",
      "/home/me/workspaces/task_a/run_b/src/x.ts failed",
      "/home/me/workspaces/task_a/run_b.baseline/src/x.ts failed",
    ],
    ["blanks", "a  b\n\nc", "a b c\n"],
  ])("ignores %s", (_what, one, other) => {
    expect(isSameOutput(one, other)).toBe(true);
  });

  it("detects different words", () => {
    expect(isSameOutput("expected night, got day", "expected night, got nihgt")).toBe(false);
  });

  it("detects a different number of failures", () => {
    expect(isSameOutput("failures=1 in 0.3 s", "failures=7 in 0.3 s")).toBe(false);
  });
});
