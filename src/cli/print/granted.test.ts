import { expect, test } from "vitest";
import { describeGranted } from "./granted.ts";

test("a run that held the forge's token is named, and no other", () => {
  const told = { run: "run_1", summary: "the agent of this run holds the forge's token", data: { granted: ["TOKEN"] } };
  expect(describeGranted([told])).toBe("  run_1: the agent of this run holds the forge's token\n");
  expect(
    describeGranted([
      { ...told, data: {} },
      { ...told, data: { granted: [] } },
    ]),
  ).toBe("");
});
