import { NO_USAGE, sumUsage, type Usage } from "../../core/cost.ts";
import { CHANGING_ROLES, FAILURE_OUTCOMES, type Outcome } from "../../core/outcome.ts";
import { resolveRun } from "../../core/resolve-run.ts";
import type { Role } from "../../core/role.ts";
import { NO_TOKENS } from "../../core/run.ts";
import type { ExitRecord } from "../../ports/supervisor.ts";
import { collectWork, type CollectedWork } from "../collect-work.ts";
import { conclude } from "../conclude.ts";
import { prepareWork } from "../prepare-work.ts";
import { readAgentOutput } from "../read-output.ts";
import { hasBegun } from "../run-jobs.ts";
import { startAgent } from "../start-agent.ts";
import { watchJob } from "../supervise.ts";
import { outcomeOf, resultOf, type StepContext, type StepResult } from "./step.ts";

/** An agent's run, but for advance and clean-up, which every step shares. */
export async function runAgentStep(context: StepContext): Promise<StepResult> {
  const { ports, run, task } = context;
  const role = roleOf(context);
  const begun = await hasBegun(ports, run.id);
  if (!begun && task.order !== null) return cancelled(context);
  const work = await prepareWork(context);
  // What was begun goes on as it was begun, whatever the settings say by now.
  const ended = begun
    ? await watchJob(context, ports.runFiles.dir(run.id), null)
    : await startAgent(context, role, work);
  ports.pass("supervisor.ended");
  const record = ended.kind === "ended" ? ended.record : null;
  const usage = await readUsage(context, role, record);
  const outcome = await conclude(context, role, record);
  ports.pass("outcome.read");
  const collected = await collectWork(context, work, { role, outcome });
  ports.pass("work.collected");
  return toResult(context, { outcome, record, usage, collected, role });
}

function roleOf({ run, state }: StepContext): Role {
  if (run.role !== null) return run.role;
  throw new Error(`run ${run.id} in state ${state.name} has no role`);
}

function cancelled(context: StepContext): StepResult {
  return resultOf(context, outcomeOf("cancel", "cancelled before it started"), { endedBy: "cancel" });
}

/** Read from the transcript, by the agent's own adapter; a run whose agent never started cost nothing. */
async function readUsage(context: StepContext, role: Role, record: ExitRecord | null): Promise<Usage> {
  const { ports, run, settings, state, task } = context;
  const agent = record?.commands.find(({ name }) => name === "agent");
  const never = record !== null && (agent === undefined || agent.startError !== null || agent.endedBy === "refused");
  if (never) return { tokens: NO_TOKENS, costUsd: 0, basis: "computed" };
  try {
    const adapter = ports.createAgent(resolveRun(settings, state.agent, task.options, role).agentSettings);
    return sumUsage(await readAgentOutput(ports, run.id, adapter));
  } catch (error) {
    ports.log.warn("what the run used cannot be read", { run: run.id, error: String(error) });
    return NO_USAGE;
  }
}

interface Ending {
  readonly outcome: Outcome;
  readonly record: ExitRecord | null;
  readonly usage: Usage;
  readonly collected: CollectedWork;
  readonly role: Role;
}

function toResult(context: StepContext, ending: Ending): StepResult {
  const { record, usage, collected, role } = ending;
  const outcome = overrule(ending.outcome, collected, role);
  const ended = record?.commands.at(-1);
  return resultOf(context, outcome, {
    exit: ended?.exit ?? null,
    endedBy: record === null ? "lost" : (ended?.endedBy ?? null),
    error: isFailure(outcome) ? outcome.summary : null,
    commit: collected.commit,
    work: collected.work,
    costUsd: usage.costUsd,
    costBasis: usage.basis,
    tokens: usage.tokens,
    pausedMs: uncountedMs(context, record),
    artifacts: collected.artifacts,
  });
}

/** A run that ended while no daemon was there to notice did not work all that time. */
function uncountedMs({ ports }: StepContext, record: ExitRecord | null): number {
  if (record === null) return 0;
  const unnoticed = ports.clock.now() - record.finishedAt;
  return record.pausedMs + (unnoticed > UNNOTICED_MS ? unnoticed : 0);
}

const UNNOTICED_MS = 5_000;

/** It says it changed something; the files say otherwise. The claim stays in the payload. */
function overrule(outcome: Outcome, collected: CollectedWork, role: Role): Outcome {
  if (!CHANGING_ROLES.includes(role) || outcome.name !== "implemented" || !collected.isEmpty) return outcome;
  return outcomeOf("no_changes", `it reported "${outcome.summary}" but changed no file`, {
    claimed: outcome.name,
    ...outcome.payload,
  });
}

const BAD: readonly Outcome["name"][] = [...FAILURE_OUTCOMES, "setup_failed", "conflict", "no_changes"];

function isFailure({ name }: Outcome): boolean {
  return BAD.includes(name);
}
