import type { ControlOrder } from "../ports/supervisor.ts";
import type { EnginePorts } from "./ports.ts";

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

export async function hasLiveJob(ports: Needed, run: string): Promise<boolean> {
  for (const job of jobsOf(run)) if (await ports.supervisors.isAlive(ports.runFiles.dir(job))) return true;
  return false;
}
