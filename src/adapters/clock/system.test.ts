import { describe, expect, it } from "vitest";
import { createSystemClock } from "./system.ts";

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

  it("creates unique ids", () => {
    const clock = createSystemClock();
    const ids = new Set(Array.from({ length: 1000 }, () => clock.newId("task")));
    expect(ids.size).toBe(1000);
    expect([...ids].every((id) => /^task_[0-9a-hjkmnp-tv-z]{10}$/.test(id))).toBe(true);
  });
});
