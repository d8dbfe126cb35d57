import { describe, expect, it, vi } from "vitest";
import type { Courier } from "../../ports/courier.ts";

export interface CourierUnderTest {
  /** `onError` is called for handlers that throw. */
  readonly open: (onError: (runId: string, error: unknown) => void) => Promise<Courier>;
}

const unexpected = (runId: string, error: unknown): never => {
  throw new Error(`the handler of ${runId} failed`, { cause: error });
};

/** A handler whose calls stay pending until the test resolves them. */
function createHandler() {
  const calls: { runId: string; signal: AbortSignal; end: (error?: Error) => void }[] = [];
  return {
    calls,
    handler: (runId: string, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        calls.push({ runId, signal, end: (error) => (error === undefined ? resolve() : reject(error)) });
      }),
    async call(index: number) {
      return await vi.waitFor(() => {
        const call = calls[index];
        if (call === undefined) throw new Error(`call ${index} has not come; there were ${calls.length}`);
        return call;
      });
    },
  };
}

/** Time in which an unexpected call would arrive. */
const shortDelay = () => new Promise((resolve) => setTimeout(resolve, 20));

/** Contract tests for every courier. */
export function testCourier(name: string, { open }: CourierUnderTest): void {
  describe(`courier ${name}`, () => {
    it("calls the handler for a submitted run", async () => {
      const courier = await open(unexpected);
      const { handler, call } = createHandler();
      await courier.work(handler);
      await courier.submit("run_a");
      const first = await call(0);
      expect(first.runId).toBe("run_a");
      expect(first.signal.aborted).toBe(false);
      first.end();
      await courier.stop();
    });

    it("delivers runs that were submitted before `work` was called", async () => {
      const courier = await open(unexpected);
      const { handler, call } = createHandler();
      await courier.submit("run_a");
      await courier.work(handler);
      const first = await call(0);
      expect(first.runId).toBe("run_a");
      first.end();
      await courier.stop();
    });

    it("executes different runs concurrently", async () => {
      const courier = await open(unexpected);
      const { handler, call, calls } = createHandler();
      await courier.work(handler);
      for (let i = 0; i < 20; i++) await courier.submit(`run_${i}`);
      await call(19);
      expect(new Set(calls.map(({ runId }) => runId)).size).toBe(20);
      for (const { end } of calls) end();
      await courier.stop();
    });

    it("never runs two handlers for one run at a time", async () => {
      const courier = await open(unexpected);
      const { handler, call, calls } = createHandler();
      await courier.work(handler);
      await Promise.all(Array.from({ length: 10 }, () => courier.submit("run_a")));
      await call(0);
      await shortDelay();
      expect(calls).toHaveLength(1);
      calls[0]?.end();
      await courier.cancel("run_a");
      await courier.stop();
    });

    it("calls the handler exactly once more for submits that came while it was ending", async () => {
      const courier = await open(unexpected);
      const { handler, call, calls } = createHandler();
      await courier.work(handler);
      await courier.submit("run_a");
      const first = await call(0);
      await courier.submit("run_a");
      await courier.submit("run_a");
      first.end();
      (await call(1)).end();
      await shortDelay();
      expect(calls).toHaveLength(2);
      await courier.stop();
    });

    it("calls the handler again for a run submitted after it returned", async () => {
      const courier = await open(unexpected);
      const { handler, call } = createHandler();
      await courier.work(handler);
      await courier.submit("run_a");
      (await call(0)).end();
      await shortDelay();
      await courier.submit("run_a");
      const second = await call(1);
      expect(second.runId).toBe("run_a");
      second.end();
      await courier.stop();
    });

    it("cancel aborts only the signal of this run, and discards earlier submits", async () => {
      const courier = await open(unexpected);
      const { handler, call, calls } = createHandler();
      await courier.work(handler);
      await courier.submit("run_a");
      await courier.submit("run_b");
      const [a, b] = [await call(0), await call(1)];
      await courier.submit("run_a");
      await courier.cancel("run_a");
      expect(a.signal.aborted).toBe(true);
      expect(b.signal.aborted).toBe(false);
      a.end();
      await shortDelay();
      expect(calls).toHaveLength(2);
      b.end();
      await courier.stop();
    });

    it("cancel ignores an unknown run", async () => {
      const courier = await open(unexpected);
      await expect(courier.cancel("run_none")).resolves.toBeUndefined();
      await courier.stop();
    });

    it("stop aborts every signal and waits for all handlers", async () => {
      const courier = await open(unexpected);
      const { handler, call, calls } = createHandler();
      await courier.work(handler);
      await courier.submit("run_a");
      await courier.submit("run_b");
      const [a, b] = [await call(0), await call(1)];
      await courier.submit("run_a");
      let stopped = false;
      const stopping = courier.stop().then(() => (stopped = true));
      await shortDelay();
      expect([a.signal.aborted, b.signal.aborted, stopped]).toEqual([true, true, false]);
      a.end();
      await shortDelay();
      expect(stopped).toBe(false);
      b.end();
      await stopping;
      await courier.submit("run_c");
      await shortDelay();
      expect(calls).toHaveLength(2);
      await expect(courier.stop()).resolves.toBeUndefined();
    });

    it("reports a handler that throws and continues", async () => {
      const errors: unknown[] = [];
      const courier = await open((runId, error) => {
        errors.push([runId, error]);
        throw new Error("the reporter fails as well");
      });
      const { handler, call } = createHandler();
      await courier.work(handler);
      await courier.submit("run_a");
      const problem = new Error("no disk");
      (await call(0)).end(problem);
      await vi.waitFor(() => expect(errors).toEqual([["run_a", problem]]));
      await courier.submit("run_a");
      (await call(1)).end();
      await courier.stop();
    });
  });
}
