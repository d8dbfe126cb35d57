export interface OutputSignals {
  grew(run: string): void;
  /** Calls `wake` whenever the run's transcript grew; returns the way to stop. */
  listen(run: string, wake: () => void): () => void;
}

/** Tells those who watch a run live that there is more to read. */
export function createOutputSignals(): OutputSignals {
  const listeners = new Map<string, Set<() => void>>();
  return {
    grew(run) {
      for (const wake of listeners.get(run) ?? []) wake();
    },
    listen(run, wake) {
      const own = listeners.get(run) ?? new Set();
      listeners.set(run, own.add(wake));
      return () => {
        own.delete(wake);
        if (own.size === 0) listeners.delete(run);
      };
    },
  };
}
