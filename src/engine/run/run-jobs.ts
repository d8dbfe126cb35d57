import type { ControlOrder } from "../../ports/supervisor.ts";
import type { EnginePorts } from "../ports.ts";

const PATIENCE_MS = 15_000;

type Needed = Pick<EnginePorts, "supervisors" | "runFiles">;

/** The part of a checks run that looks whether the base fails, too. */
export function baselineOf(run: string): string {
  return `${run}/baseline`;
}

/** The part of an agent's run that prepares its workspace. */
export function setupOf(run: string): string {
  return `${run}/setup`;
}

/** A run has a job of its own, for an agent one before it, for checks one on the base: whoever means the run means all. */
function jobsOf(run: string): readonly string[] {
  return [run, setupOf(run), baselineOf(run)];
}

/** A supervisor takes as long to start as a workspace to make: they are made side by side. */
export async function prepareJob(ports: Needed, run: string): Promise<void> {
  if (!(await wasStarted(ports, run))) ports.supervisors.prepare(ports.runFiles.dir(run));
}

/** The step is over: a supervisor that still waits for its job waits in vain. */
export function dismissJob({ supervisors, runFiles }: Needed, run: string): void {
  supervisors.dismiss(runFiles.dir(run));
}

export async function orderJobs(ports: Needed, run: string, order: ControlOrder): Promise<void> {
  for (const job of jobsOf(run)) await ports.supervisors.control(ports.runFiles.dir(job), order);
}

export async function cleanJobs(ports: Needed, run: string): Promise<void> {
  for (const job of jobsOf(run)) await ports.runFiles.cleanRun(job);
}

/** Ends what is left of a run's processes, and returns when they are gone. */
export async function endJobs(ports: Needed & Pick<EnginePorts, "clock">, run: string): Promise<void> {
  for (const job of jobsOf(run)) {
    const dir = ports.runFiles.dir(job);
    if (!(await ports.supervisors.isAlive(dir))) continue;
    await ports.supervisors.control(dir, "kill");
    const signal = ports.clock.timeoutSignal(PATIENCE_MS);
    await ports.supervisors.watch(dir, { signal, onOutput: () => undefined });
  }
}

/** Whether any of its jobs was started. */
export async function hasBegun(ports: Needed, run: string): Promise<boolean> {
  for (const job of jobsOf(run)) if (await wasStarted(ports, job)) return true;
  return false;
}

/** One job of a run; the one that the run is about has the run's own name. */
export async function wasStarted({ supervisors, runFiles }: Needed, job: string): Promise<boolean> {
  return supervisors.wasStarted(runFiles.dir(job));
}
