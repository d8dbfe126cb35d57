import { expect, it } from "vitest";
import { createPollTimes, pollInterval } from "./poll-times.ts";

it("reads a change request soon at first, later less often, and at least every half hour", () => {
  expect([0, 60_000, 3_600_000, 86_400_000].map(pollInterval)).toEqual([30_000, 30_000, 360_000, 1_800_000]);
  const times = createPollTimes();
  expect(times.takeIfDue("a", 0, 0)).toBe(true);
  expect(times.takeIfDue("a", 0, 29_000)).toBe(false);
  expect(times.takeIfDue("b", 0, 29_000)).toBe(true);
  expect(times.takeIfDue("a", 0, 30_000)).toBe(true);
  expect(times.takeIfDue("a", 0, 59_000)).toBe(false);
});
