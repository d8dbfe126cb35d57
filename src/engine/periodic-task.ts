import type { EnginePorts } from "./ports.ts";

export interface PeriodicTask {
  /** Begins it where its time has come and it is not under way. Nobody has to wait for it. */
  begin(): void;
  stop(): Promise<void>;
}

/** Something that is done now and then beside the ticks. Its trouble is logged, and the next time it is tried again. */
export function createPeriodicTask(
  ports: Pick<EnginePorts, "clock" | "log">,
  { name, everyMs }: { readonly name: string; readonly everyMs: number },
  work: () => Promise<void>,
): PeriodicTask {
  let running: Promise<void> | null = null;
  let last = Number.NEGATIVE_INFINITY;
  return {
    begin() {
      if (running !== null || ports.clock.monotonic() - last < everyMs) return;
      last = ports.clock.monotonic();
      running = work()
        .catch((error: unknown) =>
          ports.log.error(`${name} failed; the next time it is tried again`, {
            error: error instanceof Error ? error.stack : String(error),
          }),
        )
        .finally(() => {
          running = null;
        });
    },
    stop: async () => {
      last = Number.POSITIVE_INFINITY;
      await running;
    },
  };
}
