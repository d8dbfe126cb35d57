import { expect, it } from "vitest";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createPeriodicTask } from "./periodic-task.ts";

it("a periodic task runs at most once per interval, and again after a failure", async () => {
  const clock = createFakeClock();
  const problems: string[] = [];
  const log = { info: () => undefined, warn: () => undefined, error: (message: string) => void problems.push(message) };
  const starts: number[] = [];
  const task = createPeriodicTask({ clock, log }, { name: "sweeping", everyMs: 1_000 }, async () => {
    starts.push(clock.monotonic());
    if (starts.length === 1) throw new Error("the disk is not available");
    // The second run is still in progress when the third is due.
    await clock.sleep(starts.length === 2 ? 1_500 : 0);
  });
  const stopTimer = clock.every(100, () => task.startIfDue());
  await clock.advance(5_000);
  stopTimer();
  expect(starts).toEqual([100, 1_100, 2_600, 3_600, 4_600]);
  expect(problems).toEqual([expect.stringContaining("sweeping failed")]);
});
