import type { ControlOrder } from "../ports/supervisor.ts";
import type { EnginePorts } from "./ports.ts";

const PATIENCE_MS = 15_000;

type Needed = Pick<EnginePorts, "supervisors" | "runFiles">;

/** The part of a checks run that looks whether the base fails, too. */
export function baselineOf(run: string): string {
  return `${run}/baseline`;
}

/** A run has a job of its own and, for checks, one on the base: whoever means the run means both. */
function jobsOf(run: string): readonly string[] {
  return [run, baselineOf(run)];
}

export async function orderJobs(ports: Needed, run: string, order: ControlOrder): Promise<void> {
  for (const job of jobsOf(run)) await ports.supervisors.control(ports.runFiles.dir(job), order);
}

export async function cleanJobs(ports: Needed, run: string): Promise<void> {
  for (const job of jobsOf(run)) await ports.runFiles.cleanRun(job);
}

/** Ends what is left of a run's processes, and returns when they are gone. */
export async function endJobs(ports: Needed, run: string): Promise<void> {
  for (const job of jobsOf(run)) {
    const dir = ports.runFiles.dir(job);
    if (!(await ports.supervisors.isAlive(dir))) continue;
    await ports.supervisors.control(dir, "kill");
    await ports.supervisors.watch(dir, { signal: AbortSignal.timeout(PATIENCE_MS), onOutput: () => undefined });
  }
}

export async function hasBegun(ports: Needed, run: string): Promise<boolean> {
  return ports.supervisors.wasStarted(ports.runFiles.dir(run));
}
