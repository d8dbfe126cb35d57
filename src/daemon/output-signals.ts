export interface OutputSignals {
  grew(run: string): void;
  /** Calls `wake` whenever the run's transcript grew. Returns a function that stops listening. */
  listen(run: string, wake: () => void): () => void;
}

/** Notifies live viewers of a run about new output. */
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
