import { add, usageOf, type Usage } from "../../../core/money/cost.ts";
import { explainFailure, hasLostSession } from "../../../core/outcomes/explain-failure.ts";
import type { Outcome } from "../../../core/outcomes/outcome.ts";
import { resolveRun } from "../../../core/settings/resolve-run.ts";
import type { Role } from "../../../core/task/role.ts";
import { NO_TOKENS } from "../../../core/task/run.ts";
import type { ExitRecord, JobResult, CommandResult } from "../../../ports/supervisor.ts";
import { explainCutOff } from "./budget.ts";
import { explainLogin } from "./explain-login.ts";
import { NO_OUTPUT, readAgentOutput, type AgentOutput } from "./read-output.ts";
import { setupJobOf, wasStarted } from "../run-jobs.ts";
import { explainFailedSetup } from "../prepare/explain-setup.ts";
import { mergeSetupRecord } from "../prepare/setup-workspace.ts";
import { outcomeOf, redactOutcome, type StepContext, type StepResult } from "../step-context.ts";
import { watchJob } from "../supervise.ts";
import type { TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import { createRunDetector, createStuckWatch } from "./watch-stuck.ts";
import { findBrokenPromise } from "./find-broken-promise.ts";
import { chooseReport } from "./choose-report.ts";
import { grantFor } from "../prepare/sandbox-policy.ts";

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
    ? await watchJob(context, ports.runFiles.dir(run.id), null, { onOutput: createStuckWatch(context, role) })
    : await start();
  ports.hooks.passCheckpoint("supervisor.ended");
  const record = ended.kind === "ended" ? await mergeSetupRecord(context, ended.record) : null;
  const output = await readOutput(context, role, record);
  const usage = neverStarted(record) ? NO_USAGE : await countUsage(context, role, output);
  const reported = explainWithTranscript(await determineOutcome(context, role, record, output.events), output);
  const concluded = explainLogin(context, role, reported);
  const outcome = await explainCutOff(context, { role, outcome: explainStuck(concluded, record, output), usage });
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
    return await readAgentOutput(ports, run.id, adapter, createRunDetector(context, role));
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

/** The transcript still shows what was observed, even if another daemon ended the run. */
function explainStuck(outcome: Outcome, record: ExitRecord | null, { stuck }: AgentOutput): Outcome {
  const isStuck = record?.commands.some(({ name, endedBy }) => name === "agent" && endedBy === "stuck") ?? false;
  return isStuck && stuck !== null ? outcomeOf("timeout", stuck, { stuck: true }) : outcome;
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

/** Neither the checkout before the start nor the time until a new daemon noticed the end is working time of the agent. */
function uncountedMs({ ports, run }: StepContext, record: ExitRecord | null): number {
  if (record === null) return 0;
  const preparedMs = Math.max(0, record.startedAt - (run.startedAt ?? record.startedAt));
  const unnoticedMs = ports.clock.now() - record.finishedAt;
  return preparedMs + record.pausedMs + (unnoticedMs > MIN_UNNOTICED_MS ? unnoticedMs : 0);
}

const MIN_UNNOTICED_MS = 5_000;

/** Determines the outcome from the agent's report and how it ended, never from its text. */
export async function determineOutcome(
  context: StepContext,
  role: Role,
  record: ExitRecord | null,
  events: readonly TranscriptEvent[],
): Promise<Outcome> {
  const { ports, run } = context;
  if (record === null) return outcomeOf("interrupted", "the supervisor of the run died; its process tree was ended");
  const broken = findRecordError(record);
  if (broken !== null) return broken;
  const ended = record.commands.find(({ name }) => name === "agent");
  if (ended === undefined) return concludeSetup(context, record);
  const scope = { role, plan: context.pipeline.plan };
  const reported = await chooseReport(ports, run.id, { scope, events, acceptsFile: acceptsOutcomeFile(context, role) });
  if (!reported.ok) return failureOf(ended) ?? outcomeOf("invalid_output", reported.problem);
  const failure = isReportReliable(ended) ? findBrokenPromise(context, role, record) : failureOf(ended);
  if (failure !== null) return failure;
  const outcome = redactOutcome(ports, reported.outcome);
  await ports.runFiles.keepOutcome(run.id, { outcome: outcome.name, ...outcome.payload });
  return outcome;
}

function acceptsOutcomeFile(context: StepContext, role: Role): boolean {
  const { ports, settings, state, task } = context;
  if (grantFor(context, role).executes) return true;
  const { agentSettings } = resolveRun(settings, state.agent, task.options, role);
  return !ports.agents.create(agentSettings).capabilities.mcp;
}

/** The agent was never started: the set-up failed, or the run was ended during it. */
async function concludeSetup(context: StepContext, record: ExitRecord): Promise<Outcome> {
  const setup = record.commands.at(-1);
  const stopped =
    setup === undefined || setup.endedBy === "exit" || setup.endedBy === "timeout" ? null : failureOf(setup);
  return stopped ?? outcomeOf("setup_failed", await explainFailedSetup(context, setupJobOf(context.run.id), record));
}

/** A report does not count if a person or a limit ended the run, because the agent was not finished. */
function isReportReliable({ endedBy }: CommandResult): boolean {
  return endedBy === "exit" || endedBy === "hung_after_outcome";
}

function findRecordError({ error }: ExitRecord): Outcome | null {
  if (error === null) return null;
  return outcomeOf(error.kind === "internal" ? "interrupted" : error.kind, error.message);
}

function failureOf({ endedBy, exit, startError, durationMs }: CommandResult): Outcome | null {
  if (startError !== null) return outcomeOf("agent_missing", startError);
  switch (endedBy) {
    case "timeout":
      return outcomeOf("timeout", `it was still running after ${Math.round(durationMs / 1000)} s`);
    case "idle":
      return outcomeOf(
        "timeout",
        `it printed nothing for too long and was ended after ${Math.round(durationMs / 1000)} s`,
      );
    case "stuck":
      return outcomeOf("timeout", "It made no progress.", { stuck: true });
    case "cancel":
    case "kill":
      return outcomeOf("cancel", endedBy === "kill" ? "killed" : "cancelled");
    case "lost":
      return outcomeOf("interrupted", "the supervisor was terminated from outside");
    case "output":
      return outcomeOf("agent_error", "it printed more than allowed and was ended");
    case "memory":
      return outcomeOf("agent_error", "it exceeded its memory limit and was ended; see the transcript");
    case "disk":
      return outcomeOf("agent_error", "it exceeded its disk limit and was ended; see the transcript");
    case "budget":
      return outcomeOf("budget_exhausted", "it reached its budget limit; the transcript shows the cost");
    case "refused":
      return outcomeOf("sandbox_refused", "the sandbox refused to start it");
    case "exit":
    case "hung_after_outcome":
      return exit.code === 0 ? null : outcomeOf("agent_error", describeExit(exit.code, exit.signal));
  }
}

function describeExit(code: number | null, signal: string | null): string {
  return signal === null
    ? `it exited with code ${code ?? "unknown"} and reported no outcome`
    : `it was ended by ${signal}`;
}
