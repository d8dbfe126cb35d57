import { expect, it } from "vitest";
import { createFakeClock } from "./fake-clock.ts";
import { testClock } from "./suites/clock.suite.ts";

testClock("fake", {
  create: () => {
    const clock = createFakeClock();
    return { clock, pass: clock.advance };
  },
});

it("fake clock: timers fire in the order of their times, with what they start in between", async () => {
  const clock = createFakeClock();
  const fired: string[] = [];
  const run = async (): Promise<void> => {
    await clock.sleep(10);
    fired.push(`first at ${clock.monotonic()}`);
    await clock.sleep(10);
    fired.push(`second at ${clock.monotonic()}`);
  };
  const running = run();
  const stop = clock.every(15, () => fired.push(`every at ${clock.monotonic()}`));
  await clock.advance(40);
  await running;
  stop();
  expect(fired).toEqual(["first at 10", "every at 15", "second at 20", "every at 30"]);
  expect(clock.pending()).toBe(0);
});

it("fake clock: nothing fires before the time is advanced", async () => {
  const clock = createFakeClock(1_000);
  let isOver = false;
  const slept = clock.sleep(100).then(() => (isOver = true));
  await clock.advance(99);
  expect(isOver).toBe(false);
  expect(clock.now()).toBe(1_099);
  await clock.advance(1);
  expect(isOver).toBe(true);
  await slept;
});
