import { lstatSync } from "node:fs";
import type { EndedBy } from "../../core/task/run.ts";
import type { JobCommand } from "../../ports/supervisor.ts";
import { startActiveClock } from "./active-clock.ts";

export interface Limits {
  /** Call this when the command has printed something. */
  recordOutput(totalBytes: number): void;
  stop(): void;
}

export interface Breach {
  readonly endedBy: EndedBy;
  readonly sentence: string;
  /** The disk is nearly full, and the command may not be the cause. */
  readonly isDiskFull?: true;
}

interface LimitsParams {
  readonly command: JobCommand;
  readonly hungMs: number;
  readonly isPaused: () => boolean;
  readonly onBreach: (breach: Breach) => void;
}

const MAX_TICK_MS = 250;

/** Watches the run time, the idle time and the output size. May report a breach more than once. */
export function watchLimits({ command, hungMs, isPaused, onBreach }: LimitsParams): Limits {
  const { timeoutMs, idleMs, killOutputBytes, outcomeFiles } = command;
  const shortest = Math.min(timeoutMs, idleMs ?? Infinity, outcomeFiles.length === 0 ? Infinity : hungMs);
  let lastOutputAt = 0;
  let reportedAt: number | null = null;

  function check(elapsed: number): void {
    if (reportedAt === null && outcomeFiles.some(exists)) reportedAt = elapsed;
    if (elapsed >= timeoutMs) {
      onBreach({ endedBy: "timeout", sentence: `It ran longer than ${formatMs(timeoutMs)} and was ended.` });
    } else if (reportedAt !== null && elapsed - Math.max(lastOutputAt, reportedAt) >= hungMs) {
      onBreach({
        endedBy: "hung_after_outcome",
        sentence: `It reported its outcome, then printed nothing for ${formatMs(hungMs)} and was ended.`,
      });
    } else if (idleMs !== null && elapsed - lastOutputAt >= idleMs) {
      onBreach({ endedBy: "idle", sentence: `It printed nothing for ${formatMs(idleMs)} and was ended.` });
    }
  }

  const tickMs = Math.max(5, Math.min(MAX_TICK_MS, shortest / 8));
  const clock = startActiveClock({ tickMs, isPaused, onTick: check });
  return {
    recordOutput(totalBytes) {
      lastOutputAt = clock.elapsed();
      if (killOutputBytes === null || totalBytes <= killOutputBytes) return;
      onBreach({ endedBy: "output", sentence: `It printed more than ${killOutputBytes} bytes and was ended.` });
    },
    stop: clock.stop,
  };
}

function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function formatMs(ms: number): string {
  return ms < 10_000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`;
}
