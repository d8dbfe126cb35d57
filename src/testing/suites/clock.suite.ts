import { describe, expect, it } from "vitest";
import type { Clock } from "../../ports/clock.ts";

export interface ClockUnderTest {
  readonly create: () => {
    readonly clock: Clock;
    /** Lets at least this much time go by. */
    readonly pass: (ms: number) => Promise<void>;
  };
}

/** Long enough to tell a timer that fired from one that is not due, short enough for a real clock. */
const SHORT_MS = 20;
const LONG_MS = 60_000;
/** Node fires a timer up to a millisecond early. */
const EARLY_MS = 2;

/** What every clock must do, sentence by sentence of the port. */
export function testClock(name: string, { create }: ClockUnderTest): void {
  describe(`clock ${name}`, () => {
    it("both times go forward", async () => {
      const { clock, pass } = create();
      const before = { now: clock.now(), monotonic: clock.monotonic() };
      await pass(SHORT_MS);
      expect(clock.now()).toBeGreaterThan(before.now);
      expect(clock.monotonic()).toBeGreaterThan(before.monotonic);
    });

    it("makes ids that do not repeat", () => {
      const { clock } = create();
      const ids = new Set(Array.from({ length: 1000 }, () => clock.newId("task")));
      expect(ids.size).toBe(1000);
      expect([...ids].every((id) => /^task_[0-9a-hjkmnp-tv-z]{10}$/.test(id))).toBe(true);
    });

    it("sleep ends after its time and not before", async () => {
      const { clock, pass } = create();
      const start = clock.monotonic();
      const slept = clock.sleep(SHORT_MS).then(() => clock.monotonic() - start);
      await pass(SHORT_MS);
      expect(await slept).toBeGreaterThanOrEqual(SHORT_MS - EARLY_MS);
    });

    it("sleep rejects with the reason of a signal that aborts, even one that aborted before", async () => {
      const { clock } = create();
      const controller = new AbortController();
      const reason = new Error("enough");
      const slept = clock.sleep(LONG_MS, controller.signal);
      controller.abort(reason);
      await expect(slept).rejects.toBe(reason);
      await expect(clock.sleep(LONG_MS, controller.signal)).rejects.toBe(reason);
    });

    it("every repeats its action until it is stopped", async () => {
      const { clock, pass } = create();
      const { promise, resolve } = Promise.withResolvers<void>();
      let calls = 0;
      const stop = clock.every(SHORT_MS, () => {
        calls += 1;
        if (calls === 3) stop();
        if (calls === 3) resolve();
      });
      expect(calls).toBe(0);
      await Promise.all([promise, pass(3 * SHORT_MS)]);
      await pass(3 * SHORT_MS);
      expect(calls).toBe(3);
      stop();
    });

    it("timeoutSignal aborts after its time with a TimeoutError", async () => {
      const { clock, pass } = create();
      const signal = clock.timeoutSignal(SHORT_MS);
      const later = clock.timeoutSignal(LONG_MS);
      expect(signal.aborted).toBe(false);
      const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
      await pass(SHORT_MS);
      await aborted;
      expect(signal.reason).toMatchObject({ name: "TimeoutError" });
      expect(later.aborted).toBe(false);
    });
  });
}
