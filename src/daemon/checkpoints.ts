import { CHECKPOINTS, type Checkpoint, type PassCheckpoint } from "../ports/checkpoint.ts";

/**
 * For crash tests: `NIGHTSHIFT_CRASH_AT=work.collected:3` kills this process the third time it passes that checkpoint.
 * Without the variable, checkpoints do nothing.
 */
export function createCheckpoints(crashAt: string | undefined, crash: () => void): PassCheckpoint {
  if (crashAt === undefined || crashAt === "") return () => undefined;
  const [checkpoint, times = "1"] = crashAt.split(":");
  if (!CHECKPOINTS.some((known) => known === checkpoint))
    throw new Error(`NIGHTSHIFT_CRASH_AT is not a known checkpoint: ${crashAt}`);
  let remaining = Number(times);
  return (passed: Checkpoint) => {
    if (passed !== checkpoint) return;
    remaining -= 1;
    if (remaining === 0) crash();
  };
}
