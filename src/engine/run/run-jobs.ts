import type { ControlOrder } from "../../ports/supervisor.ts";
import type { EnginePorts } from "../ports.ts";

const KILL_TIMEOUT_MS = 15_000;

type JobPorts = Pick<EnginePorts, "supervisors" | "runFiles">;

/** The job of a checks run that repeats failed checks on the base commit. */
export function baselineJobOf(run: string): string {
  return `${run}/baseline`;
}

/** As above, for commands that ran only for the changed files. */
export function relatedBaselineJobOf(run: string): string {
  return `${run}/related-baseline`;
}

/** The job of a checks run that repeats it without the commands for the changed files. */
export function fullChecksJobOf(run: string): string {
  return `${run}/full`;
}

/** The job of a checks run that repeats on the base commit what failed as the base commit defines them. */
export function gatesBaselineJobOf(run: string): string {
  return `${run}/gates-baseline`;
}

/** The job of a checks run that repeats the checks as the base commit defines them. */
export function baseGatesJobOf(run: string): string {
  return `${run}/base-gates`;
}

/** The job of a checks run that counts the tests of the base commit. */
export function countsJobOf(run: string): string {
  return `${run}/counts`;
}

/** The job of a checks run that repeats the checks with the base commit's tests. */
export function baseTestsJobOf(run: string): string {
  return `${run}/base-tests`;
}

/** The job of a checks run that runs on the base commit what fails with its tests. */
export function baseTestsBaselineJobOf(run: string): string {
  return `${run}/tests-baseline`;
}

/** The job of a checks run that runs the tests of a fix on the base commit. */
export function proofJobOf(run: string): string {
  return `${run}/proof`;
}

/** The job of a checks run that runs the tests of a fix by themselves on the change. */
export function proofChangeJobOf(run: string): string {
  return `${run}/proof-change`;
}

/** The job of a checks run that runs the checks of the proof on the base commit as it is. */
export function proofBaselineJobOf(run: string): string {
  return `${run}/proof-baseline`;
}

/** The job of an agent's run that sets up its workspace. */
export function setupJobOf(run: string): string {
  return `${run}/setup`;
}

/** The job of an agent's run that repeats a failed set-up on the base commit. */
export function baseSetupJobOf(run: string): string {
  return `${run}/base-setup`;
}

/** All jobs that a run can have: its main one, and set-up for an agent or further trees for checks. */
function jobsOf(run: string): readonly string[] {
  const gates = [baseGatesJobOf(run), gatesBaselineJobOf(run)];
  const tests = [countsJobOf(run), baseTestsJobOf(run), baseTestsBaselineJobOf(run)];
  const proof = [proofJobOf(run), proofChangeJobOf(run), proofBaselineJobOf(run)];
  const related = [relatedBaselineJobOf(run), fullChecksJobOf(run)];
  const setup = [setupJobOf(run), baseSetupJobOf(run)];
  return [run, ...setup, baselineJobOf(run), ...related, ...gates, ...tests, ...proof];
}

/** Starts the supervisor early, in parallel to creating the workspace, because both take about as long. */
export async function prepareJob(ports: JobPorts, run: string): Promise<void> {
  if (!(await wasStarted(ports, run))) ports.supervisors.prepare(ports.runFiles.dir(run));
}

/** Ends a prepared supervisor that never got its job. */
export function dismissJob({ supervisors, runFiles }: JobPorts, run: string): void {
  supervisors.dismiss(runFiles.dir(run));
}

export async function controlJobs(ports: JobPorts, run: string, order: ControlOrder): Promise<void> {
  for (const job of jobsOf(run)) await ports.supervisors.control(ports.runFiles.dir(job), order);
}

export async function cleanJobs(ports: JobPorts, run: string): Promise<void> {
  for (const job of jobsOf(run)) await ports.runFiles.cleanRun(job);
}

/** Kills the remaining processes of a run and waits until they are gone. */
export async function endJobs(ports: JobPorts & Pick<EnginePorts, "clock">, run: string): Promise<void> {
  for (const job of jobsOf(run)) {
    const dir = ports.runFiles.dir(job);
    if (!(await ports.supervisors.isAlive(dir))) continue;
    await ports.supervisors.control(dir, "kill");
    const signal = ports.clock.timeoutSignal(KILL_TIMEOUT_MS);
    await ports.supervisors.watch(dir, { signal, onOutput: () => undefined });
  }
}

export async function wasAnyJobStarted(ports: JobPorts, run: string): Promise<boolean> {
  for (const job of jobsOf(run)) if (await wasStarted(ports, job)) return true;
  return false;
}

export async function isAnyJobAlive({ supervisors, runFiles }: JobPorts, run: string): Promise<boolean> {
  for (const job of jobsOf(run)) if (await supervisors.isAlive(runFiles.dir(job))) return true;
  return false;
}

/** `job`: the run's id for its main job, otherwise one of the job ids above. */
export async function wasStarted({ supervisors, runFiles }: JobPorts, job: string): Promise<boolean> {
  return supervisors.wasStarted(runFiles.dir(job));
}
