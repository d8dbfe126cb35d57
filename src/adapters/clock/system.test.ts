import { describe, expect, it } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import { testClock } from "../../testing/suites/clock.suite.ts";
import { createSystemClock } from "./system.ts";

testClock("system", { create: () => ({ clock: createSystemClock(), pass: (ms) => sleep(ms) }) });

describe("system clock", () => {
  it("continues when the machine's time is set back", () => {
    let wall = 1_000_000;
    let monotonic = 0;
    const clock = createSystemClock(
      () => wall,
      () => monotonic,
    );
    expect(clock.now()).toBe(1_000_000);
    wall = 5_000;
    monotonic = 250;
    expect(clock.now()).toBe(1_000_250);
  });

  it("follows the machine's time forward, for example after a suspend", () => {
    let wall = 1_000_000;
    const clock = createSystemClock(
      () => wall,
      () => 0,
    );
    wall = 2_000_000;
    expect(clock.now()).toBe(2_000_000);
  });
});
