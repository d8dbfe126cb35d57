import { expect, test } from "vitest";
import { readLineComment } from "./comment.ts";

test.each([
  [
    "src/price.ts:8 Keep the sign.",
    { file: "src/price.ts", line: 8, severity: "suggestion", comment: "Keep the sign." },
  ],
  ["src/price.ts:8: Keep it.", { file: "src/price.ts", line: 8, severity: "suggestion", comment: "Keep it." }],
  ["a b:c.ts:12 [critical] No.\nNever.", { file: "a b:c.ts", line: 12, severity: "critical", comment: "No.\nNever." }],
  ["x:1 [nit] see y:2 for more", { file: "x", line: 1, severity: "nit", comment: "see y:2 for more" }],
])("comment: reads %j", (given, expected) => {
  expect(readLineComment(given)).toEqual(expected);
});

test.each(["src/price.ts", "src/price.ts:8", "src/price.ts:0 Zero.", ":8 Where?", "src/price.ts:8   "])(
  "comment: %j names no line or says nothing",
  (given) => {
    expect(() => readLineComment(given)).toThrow(/is not a comment on a line/);
  },
);

test("comment: refuses an unknown severity and a placeholder", () => {
  expect(() => readLineComment("a.ts:1 [blocker] No.")).toThrow(/"blocker" is not a severity/);
  expect(() => readLineComment("a.ts:1 …")).toThrow(/stands for your own words/);
});
