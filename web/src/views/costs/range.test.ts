import { expect, test } from "vitest";
import { parseRange, periodOf } from "./range.ts";

test("a period of the address becomes the first day and the number of nights", () => {
  expect(periodOf("7d", "2026-11-17")).toEqual({ since: "7d", nights: 7 });
  expect(periodOf("month", "2026-11-17")).toEqual({ since: "2026-11-01", nights: 17 });
});

test("an unknown period in the address means 30 days", () => {
  expect([parseRange("month"), parseRange("100y"), parseRange(undefined)]).toEqual(["month", "30d", "30d"]);
});
