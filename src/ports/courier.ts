/**
 * Carries run ids to whoever executes them. It may forget, repeat or reorder: the store is the truth,
 * and reconcile submits every open run again.
 */
export interface Courier {
  /** Calls `handler` for submitted runs, at most one call at a time for each run id. The signal says: let go of the run. */
  work(handler: (runId: string, signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Idempotent while the run is being executed. Submitting an id whose handler is just ending calls it once more afterwards. */
  submit(runId: string): Promise<void>;
  /** Aborts the signal of a run that is being executed here. */
  cancel(runId: string): Promise<void>;
  /** Aborts every signal and resolves when all handlers have returned. */
  stop(): Promise<void>;
}
