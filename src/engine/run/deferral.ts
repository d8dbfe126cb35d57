import { newEvent } from "../../core/task/event.ts";
import type { Run } from "../../core/task/run.ts";
import type { EnginePorts } from "../ports.ts";
import { transact } from "../transact.ts";
import { failTask, runAttempt } from "./attempt.ts";
import { describeError } from "./explain-error.ts";
import { isAnyJobAlive } from "./run-jobs.ts";

export interface Deferral {
  /** Executes a run, unless it failed a moment ago. */
  execute(run: string, signal: AbortSignal): Promise<void>;
  isDeferred(run: string): boolean;
}

const FIRST_DELAY_MS = 5_000;
const MAX_DELAY_MS = 60_000;
/** About half an hour. */
const MAX_TRIES = 30;

/**
 * Repeats runs that failed outside of their step, for example because the settings of the project cannot be read while its
 * agent works. Each repetition waits longer, the task shows the reason, and in the end it fails with it.
 */
export function createDeferral(ports: EnginePorts): Deferral {
  const failures = new Map<string, { readonly tries: number; readonly until: number }>();

  function isDeferred(run: string): boolean {
    return (failures.get(run)?.until ?? 0) > ports.clock.monotonic();
  }

  return {
    isDeferred,
    async execute(run, signal) {
      // The courier repeats a run that was submitted while it was executed.
      if (isDeferred(run)) return;
      try {
        await runAttempt(ports, run, signal);
        failures.delete(run);
      } catch (error) {
        const tries = (failures.get(run)?.tries ?? 0) + 1;
        const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), MAX_DELAY_MS);
        failures.set(run, { tries, until: ports.clock.monotonic() + delayMs });
        await record(ports, run, error, { tries, delayMs });
        throw error;
      }
    },
  };
}

interface Failure {
  readonly tries: number;
  readonly delayMs: number;
}

/** Best effort, because the store may be the problem. Then the run is repeated until the store works again. */
async function record(ports: EnginePorts, id: string, error: unknown, { tries, delayMs }: Failure): Promise<void> {
  try {
    const run = await ports.store.tasks.getRun(id);
    if (run === null || run.finishedAt !== null) return;
    if (tries >= MAX_TRIES && !(await isAnyJobAlive(ports, id))) await failTask(ports, run, error);
    else await showReason(ports, run, ports.secrets.redact(describeError(error)), delayMs);
  } catch (failure) {
    ports.log.warn("the reason why a run does not continue could not be stored", { run: id, error: String(failure) });
  }
}

async function showReason(ports: EnginePorts, run: Run, reason: string, delayMs: number): Promise<void> {
  await transact(ports, run.task, { run: run.id, token: run.token }, (before) => {
    const at = ports.clock.now();
    const note = newEvent({
      at,
      task: run.task,
      run: run.id,
      type: "run.note",
      level: "warning",
      summary: `${run.role ?? run.step} does not continue, and is tried again: ${reason}`,
    });
    const queuedFor = { kind: "machine", until: at + delayMs, reason } as const;
    const events = before.queuedFor?.reason === reason ? [] : [note];
    return { advance: { task: { ...before, queuedFor, updatedAt: at }, events, next: null } };
  });
}
