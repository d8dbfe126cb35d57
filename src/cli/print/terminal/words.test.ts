import { describe, expect, test } from "vitest";
import { duration, money, plural } from "./words.ts";

test.for([
  [0, "0 ms"],
  [999, "999 ms"],
  [1_000, "1.0 s"],
  [59_949, "59.9 s"],
  [59_999, "1 min 0 s"],
  [119_999, "2 min 0 s"],
  [3_599_999, "1 h 0 min"],
  [7_260_000, "2 h 1 min"],
] as const)("duration: %i ms is printed as %s", ([ms, words]) => {
  expect(duration(ms)).toBe(words);
});

describe("money", () => {
  test("an unknown amount is not shown as zero", () => {
    expect(money(null)).toBe("unknown");
    expect(money(0)).toBe("$0.00");
    expect(money(1.5, 2)).toBe("$1.50 and 2 unknown");
  });

  test("a small amount is not shown as zero", () => {
    expect(money(0.004)).toBe("$0.004");
  });
});

test("plural adds an s unless the count is one", () => {
  expect([plural(1, "run"), plural(0, "run")]).toEqual(["1 run", "0 runs"]);
});
