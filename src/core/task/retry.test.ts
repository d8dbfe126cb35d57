import { expect, it } from "vitest";
import { backoffDelayMs, parkDelayMs } from "./retry.ts";

it("retry: a parked step is retried after 1, 2, 4 … 30 minutes", () => {
  expect([1, 2, 3, 4, 5, 6, 7].map((times) => parkDelayMs(times) / 60_000)).toEqual([1, 2, 4, 8, 16, 30, 30]);
  expect(parkDelayMs(10_000)).toBe(30 * 60_000);
});

it("retry: a failed step is retried after 2, 4, 8 … 60 seconds", () => {
  expect([1, 2, 3, 4, 5, 6, 7].map((times) => backoffDelayMs(times) / 1_000)).toEqual([2, 4, 8, 16, 32, 60, 60]);
  expect(backoffDelayMs(10_000)).toBe(60_000);
});
