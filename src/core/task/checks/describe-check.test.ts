import { describe, expect, it } from "vitest";
import { describeCheck } from "./describe-check.ts";
import type { CheckResult } from "../run.ts";

const finding = "- warning scope b.ts: It is outside of what was selected.";
const describeWith = (over: Partial<CheckResult>): string =>
  describeCheck({ name: "diff-policy", severity: "warning", status: "passed", tail: "", ...over });

describe("describeCheck()", () => {
  it.each<[Partial<CheckResult>, string]>([
    [{}, "diff-policy: passed"],
    [{ status: "failed", tail: finding }, `diff-policy: warned\n${finding}`],
    [{ status: "failed", severity: "error", tail: "- error size" }, "diff-policy: failed\n- error size"],
    [{ name: "test", severity: "error", tail: "12 passed" }, "test: passed"],
    [{ name: "test", severity: "error", status: "inconclusive", tail: "1 failed" }, "test: inconclusive\n1 failed"],
    [
      { name: "lint", severity: "warning", status: "failed", tail: "a.ts:1" },
      "lint: failed (a warning: it does not block the change)\na.ts:1",
    ],
  ])("%j is described as %j", (over, words) => {
    expect(describeWith(over)).toBe(words);
  });
});
