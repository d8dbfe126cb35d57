import { expect, test } from "vitest";
import { describeGranted } from "./granted.ts";

test("granted: only runs that got the forge token are listed", () => {
  const granted = {
    run: "run_1",
    summary: "the agent of this run holds the forge's token",
    data: { granted: ["TOKEN"] },
  };
  expect(describeGranted([granted])).toBe("  run_1: the agent of this run holds the forge's token\n");
  expect(
    describeGranted([
      { ...granted, data: {} },
      { ...granted, data: { granted: [] } },
    ]),
  ).toBe("");
});
