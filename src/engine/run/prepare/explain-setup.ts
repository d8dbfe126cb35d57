import type { CommandResult, ExitRecord } from "../../../ports/supervisor.ts";
import { readTask } from "../../transact.ts";
import { baseSetupJobOf } from "../run-jobs.ts";
import type { StepContext } from "../step-context.ts";
import { supervise } from "../supervise.ts";
import { openWorkspace, projectJob, SETUP, SETUP_LOG, setupCommand, setupFailed } from "./setup-workspace.ts";

/** Says why set-up failed before an agent started, and whether it also fails on the base commit. */
export async function explainFailedSetup(context: StepContext, job: string, record: ExitRecord): Promise<string> {
  const reason = await describeSetup(context, job, record);
  const base = setupFailed(record) ? await findFailingBase(context) : null;
  if (base === null) return reason;
  const where = `set-up fails on the base commit ${base.slice(0, 7)}, so no agent is the cause`;
  return `${where}; repair it there or in the settings, then retry the task: ${reason}`;
}

/** Returns the base commit if set-up fails there, too. Otherwise null. */
async function findFailingBase(context: StepContext): Promise<string | null> {
  const { ports, run } = context;
  const { baseCommit, headCommit } = await readTask(ports, run.task);
  if (baseCommit === null || baseCommit === headCommit) return baseCommit;
  const job = baseSetupJobOf(run.id);
  const paths = await ports.runFiles.prepare({ run: job, task: run.task, role: null });
  const workspace = await openWorkspace(context, job.replace("/", "."), baseCommit);
  const ended = await supervise(context, projectJob(context, paths.dir, setupCommand(context, workspace, paths)));
  if (ended.kind === "lost" || !setupFailed(ended.record)) return null;
  const wasStopped = ended.record.commands.some(({ endedBy }) => endedBy !== "exit" && endedBy !== "timeout");
  return wasStopped ? null : baseCommit;
}

const TAIL_BYTES = 600;

/** Includes the end of the output and the sandbox denials, which usually are the reason. `job`: the job that ran it. */
export async function describeSetup(
  { ports }: Pick<StepContext, "ports">,
  job: string,
  record: ExitRecord,
): Promise<string> {
  const setup = record.commands.find(({ name }) => name === SETUP);
  if (setup === undefined) return "the run ended before its agent was started";
  const denied = (record.denials ?? []).map(({ sentence }) => sentence);
  const tail = (await ports.runFiles.readLogTail(job, SETUP_LOG, TAIL_BYTES)).trim();
  const end = tail === "" ? [] : [`the end of its output (setup.log of the run):\n${tail}`];
  return [describeEnd(setup), ...denied, ...end].join("; ");
}

function describeEnd({ endedBy, durationMs, startError, exit }: CommandResult): string {
  if (endedBy === "timeout") return `the set-up command was still running after ${Math.round(durationMs / 1000)} s`;
  return `the set-up command ${startError ?? `exited with code ${exit.code ?? exit.signal ?? "unknown"}`}`;
}
