import { CHECKPOINTS, type Checkpoint, type PassCheckpoint } from "../ports/checkpoint.ts";

const NOBODY_LISTENS: PassCheckpoint = () => undefined;

/**
 * For the crash tests: `NIGHTSHIFT_CRASH_AT=work.collected:3` ends this process, as a power cut would, the third time it
 * passes that point. Without the variable nothing listens.
 */
export function createCheckpoints(order: string | undefined, crash: () => void): PassCheckpoint {
  if (order === undefined || order === "") return NOBODY_LISTENS;
  const [point, times = "1"] = order.split(":");
  if (!CHECKPOINTS.some((known) => known === point))
    throw new Error(`NIGHTSHIFT_CRASH_AT names no checkpoint: ${order}`);
  let left = Number(times);
  return (passed: Checkpoint) => {
    if (passed !== point) return;
    left -= 1;
    if (left === 0) crash();
  };
}
