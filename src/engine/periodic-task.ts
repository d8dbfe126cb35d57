import type { EnginePorts } from "./ports.ts";

export interface PeriodicTask {
  /** Starts the work if the interval has passed and it is not running. Does not wait for it. */
  startIfDue(): void;
  stop(): Promise<void>;
}

/** Work that runs at most once per interval. Errors are logged, and the work runs again at the next interval. */
export function createPeriodicTask(
  ports: Pick<EnginePorts, "clock" | "log">,
  { name, everyMs }: { readonly name: string; readonly everyMs: number },
  work: () => Promise<void>,
): PeriodicTask {
  let running: Promise<void> | null = null;
  let lastStart = Number.NEGATIVE_INFINITY;
  return {
    startIfDue() {
      if (running !== null || ports.clock.monotonic() - lastStart < everyMs) return;
      lastStart = ports.clock.monotonic();
      running = work()
        .catch((error: unknown) =>
          ports.log.error(`${name} failed; it runs again at the next interval`, {
            error: error instanceof Error ? error.stack : String(error),
          }),
        )
        .finally(() => {
          running = null;
        });
    },
    stop: async () => {
      lastStart = Number.POSITIVE_INFINITY;
      await running;
    },
  };
}
