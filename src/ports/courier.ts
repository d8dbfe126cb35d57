/**
 * Delivers run ids to the code that executes them. It may lose, repeat or reorder ids: the store is the source of truth, and
 * reconcile submits every open run again.
 */
export interface Courier {
  /** Calls `handler` for submitted runs, at most one call at a time per run id. An aborted signal means: stop working on the run. */
  work(handler: (runId: string, signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Idempotent while the run is executing. If the handler is just ending, it is called once more afterwards. */
  submit(runId: string): Promise<void>;
  /** Aborts the signal of a run that is executing in this process. */
  cancel(runId: string): Promise<void>;
  /** Aborts every signal and resolves when all handlers have returned. */
  stop(): Promise<void>;
}
