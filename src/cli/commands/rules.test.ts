import { expect, test } from "vitest";
import { replacedLine } from "./rules.ts";

const before = {
  kind: "too_big",
  text: "one concern\u001b[2J at a time",
  by: "ada",
  at: "2024-11-16T12:00:00.000Z",
} as const;

test("rules: a new reason prints the reason that it replaces", () => {
  expect(replacedLine(before)).toBe(
    'This replaces the reason of ada from 16 Nov 2024 12:00: too_big "one concern at a time"\n',
  );
  expect(replacedLine({ ...before, text: "" })).toBe(
    "This replaces the reason of ada from 16 Nov 2024 12:00: too_big\n",
  );
  expect(replacedLine(null)).toBe("");
});
