import type { Courier } from "../../ports/courier.ts";

type Handler = (runId: string, signal: AbortSignal) => Promise<void>;

interface Execution {
  readonly abort: AbortController;
  readonly done: Promise<void>;
  /** Submitted again during its execution, so it is executed once more afterwards. */
  again: boolean;
}

export interface LocalCourierParams {
  /** Called when a handler fails. The run is still open in the store, and reconcile submits it again. */
  readonly onError: (runId: string, error: unknown) => void;
}

/** Delivers run ids within this process. Every submitted run starts at once, because the store limits concurrency. */
export function createLocalCourier({ onError }: LocalCourierParams): Courier {
  const waiting = new Set<string>();
  const executing = new Map<string, Execution>();
  let handler: Handler | null = null;
  let stopped = false;

  function start(runId: string, handle: Handler): void {
    const abort = new AbortController();
    const done = execute(runId, handle, abort.signal);
    executing.set(runId, { abort, done, again: false });
  }

  async function execute(runId: string, handle: Handler, signal: AbortSignal): Promise<void> {
    // Start asynchronously, because the submitter may still have work to finish.
    await Promise.resolve();
    try {
      await handle(runId, signal);
    } catch (error) {
      report(runId, error);
    }
    const again = executing.get(runId)?.again ?? false;
    executing.delete(runId);
    if (again && !stopped) start(runId, handle);
  }

  function report(runId: string, error: unknown): void {
    try {
      onError(runId, error);
    } catch {
      // A failing error handler must not affect other runs.
    }
  }

  return {
    async work(newHandler) {
      if (handler !== null) throw new Error("this courier already has a handler");
      handler = newHandler;
      for (const runId of waiting) start(runId, newHandler);
      waiting.clear();
    },
    async submit(runId) {
      if (stopped) return;
      const execution = executing.get(runId);
      if (execution !== undefined) execution.again = true;
      else if (handler === null) waiting.add(runId);
      else start(runId, handler);
    },
    async cancel(runId) {
      waiting.delete(runId);
      const execution = executing.get(runId);
      if (execution === undefined) return;
      // A cancellation overrides earlier submissions.
      execution.again = false;
      execution.abort.abort();
    },
    async stop() {
      stopped = true;
      waiting.clear();
      const executions = [...executing.values()];
      for (const { abort } of executions) abort.abort();
      await Promise.all(executions.map(({ done }) => done));
    },
  };
}
