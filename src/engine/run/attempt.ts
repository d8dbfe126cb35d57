import { advance, type AdvanceParams } from "../../core/pipeline/advance/advance.ts";
import { finishSingleRun, positionOf, returnToPosition } from "../../core/pipeline/single-run.ts";
import { ConfigError, LeaseLostError, UserError } from "../../core/text/errors.ts";
import { stateOfRun } from "../../core/pipeline/end-variant.ts";
import { newEvent, SYSTEM, type EventDraft } from "../../core/task/event.ts";
import type { Outcome } from "../../core/outcomes/outcome.ts";
import { findMachineTrouble } from "../../core/outcomes/machine-trouble.ts";
import { resolveRun } from "../../core/settings/resolve-run.ts";
import type { Run, RunEndStatus, StepKind } from "../../core/task/run.ts";
import type { Task } from "../../core/task/task.ts";
import type { RunEnd } from "../../ports/store.ts";
import { uncountedEvents } from "./agent/budget.ts";
import { cleanUp } from "./conclude/clean-up.ts";
import { readTask, transact, type Decision } from "../transact.ts";
import { limitsOf } from "../advance-params.ts";
import { pipelineOf } from "../pipeline-of.ts";
import { factsOf, type EnginePorts, type RedactPorts } from "../ports.ts";
import { markPublisher } from "./publish/publish-with-agent.ts";
import { rememberAbandoned } from "../nightly/remember-proposals.ts";
import { dismissJob, wasAnyJobStarted, controlJobs, wasStarted } from "./run-jobs.ts";
import { limitForForeignCode } from "../../policy/access/foreign-code.ts";
import { changesFilesDirectly, mayRepeat } from "./may-repeat.ts";
import { describeError, failureOf } from "./explain-error.ts";
import { decideAgentParking, NOT_PARKED, type AgentParking } from "./park-agent.ts";
import { agentData, costData, productEvents } from "./run-events.ts";
import { listRunEvents } from "./list-run-events.ts";
import { runAgentStep } from "./agent/agent-step.ts";
import { runChecksStep } from "./checks/checks-step.ts";
import { runPostStep } from "./post/post-step.ts";
import { runPublishStep } from "./publish/publish-step.ts";
import { outcomeOf, redactOutcome, resultOf, StepEnd, type StepContext, type StepResult } from "./step-context.ts";

/**
 * Executes one run, from taking its lease to committing its result. Can be called again for the same run after a crash or
 * a restart: each part finds what an earlier call did and continues from there.
 */
export async function runAttempt(ports: EnginePorts, runId: string, signal: AbortSignal): Promise<void> {
  const run = await ports.store.tasks.takeRun(runId, ports.clock.now());
  if (run === null) return;
  ports.hooks.passCheckpoint("run.taken");
  let context: StepContext | null = null;
  try {
    context = await openContext(ports, run, signal);
    const result = await performStep(context);
    signal.throwIfAborted();
    ports.hooks.passCheckpoint("step.done");
    await commitResult(context, result);
    ports.hooks.passCheckpoint("step.committed");
    await cleanUp(ports, run.task);
    ports.hooks.passCheckpoint("cleanup.done");
  } catch (error) {
    if (shouldReleaseRun(signal, error)) await releaseRun(ports, run);
    else if (isTroubleOfMachine(ports, error) || (context === null && (await wasAnyJobStarted(ports, run.id))))
      throw error;
    else await failTask(ports, run, error);
  }
}

/** Whether this process must stop working on the run without a result. */
function shouldReleaseRun(signal: AbortSignal, error: unknown): boolean {
  return signal.aborted || error instanceof LeaseLostError;
}

/**
 * Steps turn their own errors into outcomes, so this is a store that cannot be written or settings that cannot be read, for
 * example because of the disk. That must not fail the task: the run stays open and is retried. The same applies to a running
 * agent whose project settings cannot be read after a restart.
 */
function isTroubleOfMachine({ host }: EnginePorts, error: unknown): boolean {
  return findMachineTrouble(error, host.home) !== null;
}

/** Commits nothing: an open run continues under its supervisor and is picked up later. Jobs of an ended run are killed. */
async function releaseRun(ports: EnginePorts, run: Run): Promise<void> {
  const current = await ports.store.tasks.getRun(run.id);
  if (current === null || current.finishedAt !== null) await controlJobs(ports, run.id, "kill");
}

/** Last resort for errors outside of a step, such as unreadable settings or an unregistered project. */
export async function failTask(ports: EnginePorts, run: Run, error: unknown): Promise<void> {
  const message = ports.secrets.redact(describeError(error));
  ports.log.error("a run failed outside of its step", {
    run: run.id,
    error: error instanceof Error ? error.stack : message,
  });
  const lease = { run: run.id, token: run.token };
  const cost = await costOfFailure(ports, run);
  await transact(ports, run.task, lease, (task) => {
    const at = ports.clock.now();
    const outcome = outcomeOf("agent_error", message);
    const result = resultOf({ task }, outcome, { error: message, ...cost });
    const ends = { events: [endEvent(run, result, at)], endRun: toRunEnd(run, result, at) };
    const position = positionOf(run.trigger);
    if (position !== null)
      return { ...ends, advance: { ...returnToPosition(task, position, { at, run: run.id }), next: null } };
    const ended: EventDraft = newEvent({
      at,
      task: task.id,
      run: run.id,
      type: "task.ended",
      level: "error",
      summary: `failed: ${message}`,
      data: { status: "failed", outcome: outcome.name },
    });
    const failed: Task = {
      ...task,
      status: "failed",
      outcome: outcome.name,
      reason: message,
      finishedAt: at,
      updatedAt: at,
      queuedFor: null,
    };
    return { ...ends, advance: { task: failed, events: [ended], next: null } };
  });
}

async function openContext(ports: EnginePorts, run: Run, signal: AbortSignal): Promise<StepContext> {
  const lease = { run: run.id, token: run.token };
  const isFirst = !(await hasStartedEvent(ports, run));
  // Loaded before the start is recorded, so that the event can name the agent. The start is recorded even if this fails.
  const [loaded] = await Promise.allSettled([loadPlan(ports, run)]);
  if (loaded.status === "rejected" && !isFirst) throw loaded.reason;
  const { task } = await transact(ports, run.task, lease, (before) => {
    const agent = loaded.status === "fulfilled" ? agentData(run, { ...loaded.value, task: before }) : {};
    return markRunning(ports, before, { run, isFirst, agent });
  });
  if (loaded.status === "rejected") throw loaded.reason;
  return markPublisher({ ports, task, run, lease, signal, ...loaded.value });
}

/** Loads everything a run needs except its task, which can change at any time. */
async function loadPlan(
  ports: EnginePorts,
  run: Run,
): Promise<Pick<StepContext, "project" | "settings" | "pipeline" | "state">> {
  const task = await readTask(ports, run.task);
  const project = await ports.store.projects.getProject(task.project);
  if (project === null)
    throw new UserError(
      "not_found",
      `project "${task.project}" is no longer registered`,
      "run nightshift init in its folder",
    );
  const pipeline = await pipelineOf(ports, task);
  const state = stateOfRun(pipeline, run);
  if (state === undefined) throw new Error(`pipeline ${pipeline.name} has no state ${run.state}`);
  const stored = await ports.projects.lastGood(project);
  // The sandbox mode is fixed when the daemon starts; a changed setting needs a restart.
  const settings = { ...stored, sandbox: { ...stored.sandbox, mode: ports.sandbox.mode } };
  const isForeign = task.options.request !== undefined;
  return { project, settings: isForeign ? limitForForeignCode(settings) : settings, pipeline, state };
}

/**
 * Each run must have exactly one `run.started` event. A token above 1 is not enough to know that it has one: the process
 * that took the run first may have died before it recorded the start.
 */
async function hasStartedEvent(ports: EnginePorts, run: Run): Promise<boolean> {
  return run.token > 1 && (await listRunEvents(ports, run)).some(({ type }) => type === "run.started");
}

function markRunning(
  ports: EnginePorts,
  task: Task,
  { run, isFirst, agent }: { readonly run: Run; readonly isFirst: boolean; readonly agent: EventDraft["data"] },
): Decision {
  const at = ports.clock.now();
  const started: EventDraft = newEvent({
    at,
    task: task.id,
    run: run.id,
    type: isFirst ? "run.started" : "run.note",
    summary: isFirst ? `${run.role ?? run.step} started (attempt ${run.attempt})` : `${run.role ?? run.step} continued`,
    data: { role: run.role, step: run.step, attempt: run.attempt, token: run.token, ...agent },
  });
  const status = task.status === "paused" ? "paused" : "running";
  return {
    advance: { task: { ...task, status, queuedFor: null, updatedAt: at }, events: [], next: null },
    events: [started],
  };
}

/** Turns errors of the step into an outcome, unless this process must release the run. */
async function performStep(context: StepContext): Promise<StepResult> {
  try {
    // Also if an agent publishes: the engine verifies what was published.
    return await STEPS[context.state.step.kind === "publish" ? "publish" : context.run.step](context);
  } catch (error) {
    return { ...toFailedResult(context, error), ...(await costOfFailure(context.ports, context.run)) };
  } finally {
    dismissJob(context.ports, context.run.id);
  }
}

/** The cost of an agent whose step threw is unknown, not zero. An agent that was not started did not work. */
async function costOfFailure(ports: EnginePorts, run: Run): Promise<Partial<StepResult>> {
  if (run.step !== "agent") return {};
  if (!(await wasStarted(ports, run.id))) return { pausedMs: ports.clock.now() - (run.startedAt ?? run.createdAt) };
  return { costUsd: null, costBasis: "unknown" };
}

const STEPS: Readonly<Record<StepKind, (context: StepContext) => Promise<StepResult>>> = {
  agent: runAgentStep,
  checks: runChecksStep,
  publish: runPublishStep,
  post: runPostStep,
};

function toFailedResult(context: StepContext, error: unknown): StepResult {
  if (shouldReleaseRun(context.signal, error)) throw error;
  if (error instanceof StepEnd) return resultOf(context, error.outcome, { error: error.message });
  const message = describeError(error);
  const expected = error instanceof UserError || error instanceof ConfigError;
  if (!expected)
    context.ports.log.error("a step failed unexpectedly", {
      run: context.run.id,
      error: error instanceof Error ? error.stack : message,
    });
  return resultOf(context, failureOf(error, context.ports.host.home), { error: message });
}

async function commitResult(context: StepContext, unredacted: StepResult): Promise<void> {
  const { ports, run, lease } = context;
  const result = redactResult(ports, unredacted);
  // Before the commit, because it would be lost if the daemon crashed in between. It is idempotent.
  await rememberAbandoned(context, decideNext(context, context.task, result).advance.task);
  const repeats = await mayRepeat(context, result.outcome);
  await transact(ports, run.task, lease, async (current) =>
    decideNext(context, current, result, { ...(await decideAgentParking(context, result)), mayRepeat: repeats }),
  );
}

/** Removes secrets from a result before any of it is stored, shown or used in a prompt. */
function redactResult(ports: RedactPorts, result: StepResult): StepResult {
  const { redact } = ports.secrets;
  return {
    ...result,
    outcome: redactOutcome(ports, result.outcome),
    error: redact(result.error),
    checks: result.checks.map((check) => ({ ...check, tail: redact(check.tail) })),
    artifacts: redact(result.artifacts),
    removedArtifacts: redact(result.removedArtifacts),
    artifactFailures: redact(result.artifactFailures),
    toolUses: redact(result.toolUses),
  };
}

function decideNext(
  context: StepContext,
  current: Task,
  result: StepResult,
  { parked, change, events, mayRepeat: repeats }: AgentParking & { readonly mayRepeat?: boolean } = NOT_PARKED,
): Decision {
  const { ports, run, pipeline, settings } = context;
  const at = ports.clock.now();
  const position = positionOf(run.trigger);
  // A reviewer changes nothing, and its verdict must not hide that the branch moved meanwhile.
  const staysAtWork = run.role === "review" || position !== null;
  const task = staysAtWork ? current : { ...withImplementer(current, result), ...result.work };
  const params: AdvanceParams = {
    pipeline,
    task,
    outcome: applyOrder(task, result.outcome),
    run: { id: run.id, role: run.role, step: run.step, mayRepeat: repeats ?? true },
    actor: SYSTEM,
    facts: factsOf(withReportedPlan(task, result.outcome), settings),
    limits: limitsOf(settings),
    fallbackAgent: findFallback(context),
    parked,
    digest: ports.digest,
    at,
  };
  const advanced = position === null ? advance(params) : finishSingleRun(params, position);
  return {
    advance: advanced,
    events: [
      ...events,
      ...fallbackEvents(run, task, advanced.task, at),
      ...denialEvents(run, result, at),
      ...productEvents(run, result, at),
      ...uncountedEvents(context, result, at),
      endEvent(run, result, at),
    ],
    endRun: toRunEnd(run, result, at),
    parking: change,
    checks: result.checks,
    artifacts: result.artifacts,
    removedArtifacts: result.removedArtifacts,
  };
}

function withImplementer(task: Task, { implementer }: StepResult): Task {
  return implementer === undefined ? task : { ...task, options: { ...task.options, implementer } };
}

/** The plan that the run reported decides about its own approval. */
function withReportedPlan(task: Task, outcome: Outcome): Task {
  return outcome.name === "plan_complete" ? { ...task, plan: outcome.payload } : task;
}

/** Null if there is no fallback agent, or if the run already uses it. A variant is about one agent, so no other takes over. */
function findFallback(context: StepContext): string | null {
  const { settings, state, task, run } = context;
  // It does not know what the first agent has changed.
  if (changesFilesDirectly(context)) return null;
  const { fallbackAgent } = settings;
  if (fallbackAgent === null || run.role === null || task.options.variantOf !== undefined) return null;
  return resolveRun(settings, state.agent, task.options, run.role).agent === fallbackAgent ? null : fallbackAgent;
}

function fallbackEvents(run: Run, before: Task, after: Task, at: number): readonly EventDraft[] {
  const { agent } = after.options;
  if (agent === null || agent === before.options.agent) return [];
  const summary = `the agent has used up its quota; ${agent} takes over`;
  return [
    { at, task: run.task, run: run.id, type: "run.note", level: "warning", actor: SYSTEM, summary, data: { agent } },
  ];
}

/** An order to end the task applies even if it arrived after the run ended, unless the work or the review is already published. */
function applyOrder({ order }: Task, outcome: Outcome): Outcome {
  const isPublished = outcome.name === "published" || outcome.name === "posted";
  if (order === null || isPublished || outcome.name === "cancel") return outcome;
  return outcomeOf("cancel", order === "kill" ? "killed" : "cancelled");
}

function toRunEnd(run: Run, result: StepResult, finishedAt: number): RunEnd {
  return {
    id: run.id,
    status: endStatus(result),
    outcome: result.outcome.name,
    payload: {
      summary: result.outcome.summary,
      ...result.outcome.payload,
      ...(result.denials.length > 0 && {
        denied: result.denials.map(({ sentence }) => sentence),
        denials: result.denials,
      }),
      ...(result.artifactFailures.length > 0 && { not_recorded: result.artifactFailures }),
    },
    exit: result.exit,
    endedBy: result.endedBy,
    error: result.error,
    commit: result.commit,
    costUsd: result.costUsd,
    costBasis: result.costBasis,
    tokens: result.tokens,
    pausedMs: result.pausedMs,
    finishedAt,
    ...(result.sandbox !== null && { sandbox: result.sandbox }),
  };
}

function denialEvents(run: Run, { denials }: StepResult, at: number): readonly EventDraft[] {
  return denials.map(({ kind, target, sentence, count }) =>
    newEvent({
      at,
      task: run.task,
      run: run.id,
      type: "run.denied",
      level: "warning",
      summary: count === 1 ? sentence : `${sentence} (${count} times)`,
      data: { kind, target, count },
    }),
  );
}

function endEvent(run: Run, result: StepResult, at: number): EventDraft {
  const { outcome, endedBy, error } = result;
  const interrupted = outcome.name === "interrupted";
  return newEvent({
    at,
    task: run.task,
    run: run.id,
    type: interrupted ? "run.interrupted" : "run.ended",
    level: error === null ? "info" : "warning",
    summary: `${run.role ?? run.step}: ${outcome.name}${outcome.summary === "" ? "" : ` – ${outcome.summary}`}`,
    data: { outcome: outcome.name, ended_by: endedBy, ...costData(run, result, at) },
  });
}

function endStatus({ outcome, error }: StepResult): RunEndStatus {
  switch (outcome.name) {
    case "interrupted":
      return "interrupted";
    case "timeout":
      return "timeout";
    case "cancel":
      return "cancelled";
    default:
      return error === null ? "succeeded" : "failed";
  }
}
