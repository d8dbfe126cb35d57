import { add, usageOf, type Usage } from "../../../core/money/cost.ts";
import { explainFailure, hasLostSession } from "../../../core/outcomes/explain-failure.ts";
import type { Outcome } from "../../../core/outcomes/outcome.ts";
import { resolveRun } from "../../../core/settings/resolve-run.ts";
import type { Role } from "../../../core/task/role.ts";
import { NO_TOKENS } from "../../../core/task/run.ts";
import type { ExitRecord, JobResult } from "../../../ports/supervisor.ts";
import { explainCutOff } from "./budget.ts";
import { conclude } from "./conclude-agent.ts";
import { NO_OUTPUT, readAgentOutput, type AgentOutput } from "./read-output.ts";
import { wasStarted } from "../run-jobs.ts";
import { withSetup } from "../prepare/setup-workspace.ts";
import { outcomeOf, type StepContext, type StepResult } from "../step-context.ts";
import { watchJob } from "../supervise.ts";

/** What an agent came to, before anybody looked at what it left. */
export interface AgentEnding {
  readonly outcome: Outcome;
  readonly record: ExitRecord | null;
  readonly usage: Usage;
  readonly output: AgentOutput;
}

/** Starts the run's agent, or finds the one that an earlier call started, and reads what it came to. */
export async function runAgent(
  context: StepContext,
  role: Role,
  start: () => Promise<JobResult>,
): Promise<AgentEnding> {
  const { ports, run } = context;
  // What was begun goes on as it was begun, whatever the settings say by now.
  const ended = (await wasStarted(ports, run.id))
    ? await watchJob(context, ports.runFiles.dir(run.id), null)
    : await start();
  ports.hooks.passCheckpoint("supervisor.ended");
  const record = ended.kind === "ended" ? await withSetup(context, ended.record) : null;
  const output = await readOutput(context, role, record);
  const usage = neverStarted(record) ? FREE : await countUsage(context, role, output);
  const concluded = explain(await conclude(context, role, record, output.events), output);
  const outcome = await explainCutOff(context, { role, outcome: concluded, usage });
  await keepSession(context, output);
  ports.hooks.passCheckpoint("outcome.read");
  return { outcome, record, usage, output };
}

const FREE: Usage = { tokens: NO_TOKENS, costUsd: 0, basis: "computed" };

/** Read by the agent's own adapter; nothing where its agent never started. */
async function readOutput(context: StepContext, role: Role, record: ExitRecord | null): Promise<AgentOutput> {
  const { ports, run, settings, state, task } = context;
  if (neverStarted(record)) return NO_OUTPUT;
  try {
    const adapter = ports.agents.create(resolveRun(settings, state.agent, task.options, role).agentSettings);
    return await readAgentOutput(ports, run.id, adapter);
  } catch (error) {
    ports.log.warn("the transcript of the run cannot be read", { run: run.id, error: String(error) });
    return NO_OUTPUT;
  }
}

function neverStarted(record: ExitRecord | null): boolean {
  if (record === null) return false;
  const agent = record.commands.find(({ name }) => name === "agent");
  return agent === undefined || agent.startError !== null || agent.endedBy === "refused";
}

/** A run whose agent never started cost nothing. */
async function countUsage(context: StepContext, role: Role, output: AgentOutput): Promise<Usage> {
  const { ports, run, settings, state, task } = context;
  const session = sessionOf(output);
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: 1000 });
  const earlier = runs.filter((each) => each.id !== run.id && session !== null && each.sessionId === session);
  return usageOf({
    ...output,
    before: {
      tokens: earlier.reduce((sum, { tokens }) => add(sum, tokens), NO_TOKENS),
      costUsd: earlier.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0),
    },
    model: resolveRun(settings, state.agent, task.options, role).model,
    prices: ports.agents.prices,
  });
}

function sessionOf({ events }: AgentOutput): string | null {
  const last = events.findLast((event) => event.type === "session");
  return last?.type === "session" && !hasLostSession(events) ? last.id : null;
}

/** So that a later run can go on with it. */
async function keepSession({ ports, run, lease }: StepContext, output: AgentOutput): Promise<void> {
  const sessionId = sessionOf(output);
  if (sessionId !== run.sessionId) await ports.store.tasks.updateRun(lease, { sessionId });
}

const UNEXPLAINED: readonly Outcome["name"][] = ["agent_error", "invalid_output"];

/** Where the engine only saw that it ended badly, the CLI may have said why. */
function explain(outcome: Outcome, { events }: AgentOutput): Outcome {
  const failure = UNEXPLAINED.includes(outcome.name) ? explainFailure(events) : null;
  return failure === null ? outcome : { ...outcomeOf(failure.name, failure.message), retryAt: failure.retryAt };
}

type End = Pick<
  StepResult,
  "exit" | "endedBy" | "costUsd" | "costBasis" | "tokens" | "pausedMs" | "denials" | "toolUses"
>;

/** How the run ended and what it cost, for its record. */
export function endOf(context: StepContext, { record, usage, output }: AgentEnding): End {
  const ended = record?.commands.at(-1);
  return {
    exit: ended?.exit ?? null,
    endedBy: record === null ? "lost" : (ended?.endedBy ?? null),
    costUsd: usage.costUsd,
    costBasis: usage.basis,
    tokens: usage.tokens,
    pausedMs: uncountedMs(context, record),
    denials: [...(record?.denials ?? []), ...fileDenials(output)],
    toolUses: output.toolUses,
  };
}

function fileDenials({ fileDenials: count }: AgentOutput): StepResult["denials"] {
  if (count === 0) return [];
  const sentence = "denied: files outside of what the run may use; the transcript says which";
  return [{ kind: "file", target: "files", sentence, count }];
}

/** A run that ended while no daemon was there to notice did not work all that time. */
function uncountedMs({ ports }: StepContext, record: ExitRecord | null): number {
  if (record === null) return 0;
  const unnoticed = ports.clock.now() - record.finishedAt;
  return record.pausedMs + (unnoticed > UNNOTICED_MS ? unnoticed : 0);
}

const UNNOTICED_MS = 5_000;
