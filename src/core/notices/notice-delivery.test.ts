import { expect, test } from "vitest";
import { deliveryDelayMs, MAX_TRIES } from "./notice-delivery.ts";

test("notice delivery: a channel that is down for more than an hour loses nothing", () => {
  const delays = Array.from({ length: MAX_TRIES - 1 }, (_, index) => deliveryDelayMs(index + 1, null));
  expect(delays.slice(0, 3)).toEqual([2_000, 8_000, 32_000]);
  expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThan(3_600_000);
});

test("notice delivery: the delay requested by the channel is used, up to one day", () => {
  expect(deliveryDelayMs(1, 60_000)).toBe(60_000);
  expect(deliveryDelayMs(3, 1_000)).toBe(32_000);
  expect(deliveryDelayMs(1, Number.MAX_SAFE_INTEGER)).toBe(86_400_000);
});
