import { add, usageOf, type Usage } from "../../../core/money/cost.ts";
import { explainFailure, hasLostSession } from "../../../core/outcomes/explain-failure.ts";
import type { Outcome } from "../../../core/outcomes/outcome.ts";
import { resolveRun } from "../../../core/settings/resolve-run.ts";
import type { Role } from "../../../core/task/role.ts";
import { NO_TOKENS } from "../../../core/task/run.ts";
import type { ExitRecord, JobResult } from "../../../ports/supervisor.ts";
import { explainCutOff } from "./budget.ts";
import { determineOutcome } from "./conclude-agent.ts";
import { NO_OUTPUT, readAgentOutput, type AgentOutput } from "./read-output.ts";
import { wasStarted } from "../run-jobs.ts";
import { mergeSetupRecord } from "../prepare/setup-workspace.ts";
import { outcomeOf, type StepContext, type StepResult } from "../step-context.ts";
import { watchJob } from "../supervise.ts";

/** How an agent's run ended, before its files are collected. */
export interface AgentEnding {
  readonly outcome: Outcome;
  readonly record: ExitRecord | null;
  readonly usage: Usage;
  readonly output: AgentOutput;
}

/** Starts the run's agent, or attaches to the one that an earlier call started, and determines its outcome. */
export async function runAgent(
  context: StepContext,
  role: Role,
  start: () => Promise<JobResult>,
): Promise<AgentEnding> {
  const { ports, run } = context;
  // A started agent is not affected by later changes of the settings.
  const ended = (await wasStarted(ports, run.id))
    ? await watchJob(context, ports.runFiles.dir(run.id), null)
    : await start();
  ports.hooks.passCheckpoint("supervisor.ended");
  const record = ended.kind === "ended" ? await mergeSetupRecord(context, ended.record) : null;
  const output = await readOutput(context, role, record);
  const usage = neverStarted(record) ? NO_USAGE : await countUsage(context, role, output);
  const concluded = explainWithTranscript(await determineOutcome(context, role, record, output.events), output);
  const outcome = await explainCutOff(context, { role, outcome: concluded, usage });
  await storeSession(context, output);
  ports.hooks.passCheckpoint("outcome.read");
  return { outcome, record, usage, output };
}

const NO_USAGE: Usage = { tokens: NO_TOKENS, costUsd: 0, basis: "computed" };

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

/** Lets a later run resume the session. */
async function storeSession({ ports, run, lease }: StepContext, output: AgentOutput): Promise<void> {
  const sessionId = sessionOf(output);
  if (sessionId !== run.sessionId) await ports.store.tasks.updateRun(lease, { sessionId });
}

const UNEXPLAINED: readonly Outcome["name"][] = ["agent_error", "invalid_output"];

/** Replaces a generic failure with the reason that the CLI reported, if any. */
function explainWithTranscript(outcome: Outcome, { events }: AgentOutput): Outcome {
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
  const sentence = "denied: access to files outside of the run's permissions; see the transcript";
  return [{ kind: "file", target: "files", sentence, count }];
}

/** If a run ended while no daemon was running, the time until a daemon noticed is not working time. */
function uncountedMs({ ports }: StepContext, record: ExitRecord | null): number {
  if (record === null) return 0;
  const unnoticedMs = ports.clock.now() - record.finishedAt;
  return record.pausedMs + (unnoticedMs > MIN_UNNOTICED_MS ? unnoticedMs : 0);
}

const MIN_UNNOTICED_MS = 5_000;
