import { describe, expect, it } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import { testClock } from "../../testing/suites/clock.suite.ts";
import { createSystemClock } from "./system.ts";

testClock("system", { create: () => ({ clock: createSystemClock(), pass: (ms) => sleep(ms) }) });

describe("system clock", () => {
  it("follows and reports a large step back, for example after a jump into the future", () => {
    let wall = 1_000_000;
    const steps: number[] = [];
    const clock = createSystemClock(
      () => wall,
      () => 0,
      (ms) => steps.push(ms),
    );
    wall = 900_000_000;
    expect(clock.now()).toBe(900_000_000);
    wall = 1_000_500;
    expect(clock.now()).toBe(1_000_500);
    expect(clock.now()).toBe(1_000_500);
    expect(steps).toEqual([900_000_000 - 1_000_500]);
  });

  it("continues when the machine's time is set back a little", () => {
    let wall = 1_000_000;
    let monotonic = 0;
    const clock = createSystemClock(
      () => wall,
      () => monotonic,
    );
    expect(clock.now()).toBe(1_000_000);
    wall = 950_000;
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
