import { expect, test } from "vitest";
import { replacedLine } from "./rules.ts";

const before = {
  kind: "too_big",
  text: "one concern\u001b[2J at a time",
  by: "ada",
  at: "2026-11-16T02:00:00.000Z",
} as const;

test("rules: a new reason prints the reason that it replaces", () => {
  expect(replacedLine(before)).toBe(
    'This replaces the reason of ada from 2026-11-16: too_big "one concern at a time"\n',
  );
  expect(replacedLine({ ...before, text: "" })).toBe("This replaces the reason of ada from 2026-11-16: too_big\n");
  expect(replacedLine(null)).toBe("");
});
