import { advance } from "../../core/pipeline/advance.ts";
import { ConfigError, ForgeError, LeaseLostError, RemoteError, UserError } from "../../core/text/errors.ts";
import { SYSTEM, type EventDraft } from "../../core/task/event.ts";
import type { FailureOutcome, Outcome } from "../../core/outcomes/outcome.ts";
import { resolveRun } from "../../core/settings/resolve-run.ts";
import type { Run, RunEndStatus, StepKind } from "../../core/task/run.ts";
import type { Task } from "../../core/task/task.ts";
import type { RunEnd } from "../../ports/store.ts";
import { uncountedEvents } from "./agent/budget.ts";
import { cleanUp } from "./conclude/clean-up.ts";
import { readTask, transact, type Decision } from "../transact.ts";
import { pipelineOf } from "../pipeline-of.ts";
import { factsOf, type EnginePorts, type RedactPorts } from "../ports.ts";
import { isDiskFull } from "./conclude/is-disk-full.ts";
import { markPublisher } from "./publish/publish-with-agent.ts";
import { rememberAbandoned } from "../nightly/remember-proposals.ts";
import { dismissJob, hasBegun, orderJobs, wasStarted } from "./run-jobs.ts";
import { agentData, costData, productEvents } from "./run-events.ts";
import { runAgentStep } from "./agent/agent-step.ts";
import { runChecksStep } from "./checks/checks-step.ts";
import { runPublishStep } from "./publish/publish-step.ts";
import { outcomeOf, redactOutcome, resultOf, StepEnd, type StepContext, type StepResult } from "./step-context.ts";

/**
 * One run, from being taken to its one commit. May be called again for the same run after a crash or a restart:
 * every part finds what an earlier call did and goes on from there.
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
    if (mustLetGo(signal, error)) await letGo(ports, run);
    else if (isStoreAway(error) || (context === null && (await hasBegun(ports, run.id)))) throw error;
    else await failTask(ports, run, error);
  }
}

function mustLetGo(signal: AbortSignal, error: unknown): boolean {
  return signal.aborted || error instanceof LeaseLostError;
}

/**
 * Every step turns its own troubles into an outcome; what is left is a store that cannot be written, say on a full disk.
 * Nobody's task fails of that: the run stays open and is handed out again. The same goes for an agent at work whose
 * project's settings cannot be read after a restart: it works on, and is taken up when they can.
 */
function isStoreAway(error: unknown): boolean {
  return error instanceof UserError && error.kind === "unavailable";
}

/** Nothing is committed: the run goes on under its supervisor and is taken up later, unless it has ended or belongs to someone else. */
async function letGo(ports: EnginePorts, run: Run): Promise<void> {
  const current = await ports.store.tasks.getRun(run.id);
  if (current === null || current.finishedAt !== null) await orderJobs(ports, run.id, "kill");
}

/** The last net: what could not even be turned into an outcome (settings unreadable, project gone) still ends in one. */
async function failTask(ports: EnginePorts, run: Run, error: unknown): Promise<void> {
  const message = ports.secrets.redact(sentenceOf(error));
  ports.log.error("a run could not be carried out", {
    run: run.id,
    error: error instanceof Error ? error.stack : message,
  });
  const lease = { run: run.id, token: run.token };
  const cost = await uncounted(ports, run);
  await transact(ports, run.task, lease, (task) => {
    const at = ports.clock.now();
    const outcome = outcomeOf("agent_error", message);
    const ended: EventDraft = {
      at,
      task: task.id,
      run: run.id,
      type: "task.ended",
      level: "error",
      actor: SYSTEM,
      summary: `failed: ${message}`,
      data: { status: "failed", outcome: outcome.name },
    };
    const failed: Task = {
      ...task,
      status: "failed",
      outcome: outcome.name,
      reason: message,
      finishedAt: at,
      updatedAt: at,
      queuedFor: null,
    };
    const result = resultOf({ task }, outcome, { error: message, ...cost });
    return {
      advance: { task: failed, events: [ended], next: null },
      events: [endEvent(run, result, at)],
      endRun: toRunEnd(run, result, at),
    };
  });
}

async function openContext(ports: EnginePorts, run: Run, signal: AbortSignal): Promise<StepContext> {
  const lease = { run: run.id, token: run.token };
  // Taken before does not mean started before: the daemon may have died in between.
  const first = run.token === 1 || !(await hasStarted(ports, run));
  // Loaded before the start is recorded, so that the event can name the agent. A run whose settings cannot be read starts, too.
  const [loaded] = await Promise.allSettled([loadPlan(ports, run)]);
  const { task } = await transact(ports, run.task, lease, (before) => {
    const agent = loaded.status === "fulfilled" ? agentData(run, { ...loaded.value, task: before }) : {};
    return markRunning(ports, before, { run, first, agent });
  });
  if (loaded.status === "rejected") throw loaded.reason;
  return markPublisher({ ports, task, run, lease, signal, ...loaded.value });
}

/** What holds for a run besides its task, which others may change at any time. */
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
  const state = pipeline.states[run.state];
  if (state === undefined) throw new Error(`pipeline ${pipeline.name} has no state ${run.state}`);
  const written = await ports.projects.lastGood(project);
  // As it was when the daemon was started and said so; who changes it starts the daemon again.
  const settings = { ...written, sandbox: { ...written.sandbox, mode: ports.sandbox.mode } };
  return { project, settings, pipeline, state };
}

/**
 * A take-over after a restart is told apart from the first start, so that each run starts exactly once in the log.
 * The token alone does not tell: whoever took the run first may have died before it could say so.
 */
async function hasStarted({ store }: EnginePorts, run: Run): Promise<boolean> {
  if (run.token === 1) return false;
  for (let after = 0; ;) {
    const page = await store.events.listEvents({ after, task: run.task, limit: 1000 });
    if (page.some((event) => event.run === run.id && event.type === "run.started")) return true;
    const last = page.at(-1);
    if (last === undefined) return false;
    after = last.id;
  }
}

function markRunning(
  ports: EnginePorts,
  task: Task,
  { run, first, agent }: { readonly run: Run; readonly first: boolean; readonly agent: EventDraft["data"] },
): Decision {
  const at = ports.clock.now();
  const started: EventDraft = {
    at,
    task: task.id,
    run: run.id,
    type: first ? "run.started" : "run.note",
    level: "info",
    actor: SYSTEM,
    summary: first
      ? `${run.role ?? run.step} started (attempt ${run.attempt})`
      : `${run.role ?? run.step} taken up again`,
    data: { role: run.role, step: run.step, attempt: run.attempt, token: run.token, ...agent },
  };
  const status = task.status === "paused" ? "paused" : "running";
  return {
    advance: { task: { ...task, status, queuedFor: null, updatedAt: at }, events: [], next: null },
    events: [started],
  };
}

/** A broken step is an outcome. Only letting go of the run is not. */
async function performStep(context: StepContext): Promise<StepResult> {
  try {
    // Whoever publishes, an agent too: what is published is for the engine to say.
    return await STEPS[context.state.step.kind === "publish" ? "publish" : context.run.step](context);
  } catch (error) {
    return { ...brokenStep(context, error), ...(await uncounted(context.ports, context.run)) };
  } finally {
    dismissJob(context.ports, context.run.id);
  }
}

/** What an agent used before its step broke has not been counted, which is not the same as nothing. */
async function uncounted(ports: EnginePorts, run: Run): Promise<Partial<StepResult>> {
  if (run.step !== "agent" || !(await wasStarted(ports, run.id))) return {};
  return { costUsd: null, costBasis: "unknown" };
}

const STEPS: Readonly<Record<StepKind, (context: StepContext) => Promise<StepResult>>> = {
  agent: runAgentStep,
  checks: runChecksStep,
  publish: runPublishStep,
};

function brokenStep(context: StepContext, error: unknown): StepResult {
  if (context.signal.aborted || error instanceof LeaseLostError) throw error;
  if (error instanceof StepEnd) return resultOf(context, error.outcome, { error: error.message });
  const message = sentenceOf(error);
  const expected = error instanceof UserError || error instanceof ConfigError;
  if (!expected)
    context.ports.log.error("a step broke", {
      run: context.run.id,
      error: error instanceof Error ? error.stack : message,
    });
  const retryAt = error instanceof ForgeError ? error.retryAt : null;
  return resultOf(context, { ...outcomeOf(classOf(error), message), retryAt }, { error: message });
}

/** What went wrong and, where somebody knows, what to do about it: at night nobody can ask. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const hint = error instanceof UserError ? error.hint : null;
  if (hint === null) return error.message;
  return `${error.message}${/[.!?]$/.test(error.message) ? "" : ";"} ${hint}`;
}

function classOf(error: unknown): FailureOutcome {
  if (error instanceof ForgeError) return FORGE_CLASSES[error.trouble];
  if (error instanceof RemoteError) return error.trouble === "credentials" ? "login_expired" : "provider_down";
  return isDiskFull(error) ? "disk_full" : "agent_error";
}

/** Not the task's fault, unless the forge looked at the request itself and said no. */
const FORGE_CLASSES = {
  credentials: "login_expired",
  unreachable: "provider_down",
  rate_limit: "provider_down",
  missing: "agent_error",
  refused: "agent_error",
} as const satisfies Record<ForgeError["trouble"], FailureOutcome>;

async function commitResult(context: StepContext, given: StepResult): Promise<void> {
  const { ports, run, lease } = context;
  const result = withoutSecrets(ports, given);
  // Before the commit, since nobody would do it after a crash in between; said twice, it changes nothing.
  await rememberAbandoned(context, decideNext(context, context.task, result).advance.task);
  await transact(ports, run.task, lease, (current) => decideNext(context, current, result));
}

/** Whatever a step read or was told: nothing of it is kept, shown or put into a prompt before it went through here. */
function withoutSecrets(ports: RedactPorts, result: StepResult): StepResult {
  const { redact } = ports.secrets;
  return {
    ...result,
    outcome: redactOutcome(ports, result.outcome),
    error: redact(result.error),
    checks: result.checks.map((check) => ({ ...check, tail: redact(check.tail) })),
    artifacts: redact(result.artifacts),
    artifactFailures: redact(result.artifactFailures),
    toolUses: redact(result.toolUses),
  };
}

function decideNext(context: StepContext, current: Task, result: StepResult): Decision {
  const { ports, run, pipeline, settings } = context;
  const at = ports.clock.now();
  const task = { ...current, ...result.work };
  const advanced = advance({
    pipeline,
    task,
    outcome: orderedOutcome(task, result.outcome),
    run: { id: run.id, role: run.role, step: run.step },
    actor: SYSTEM,
    facts: factsOf(task, settings),
    limits: { repair: settings.repairAttempts },
    fallbackAgent: findFallback(context),
    digest: ports.digest,
    at,
  });
  return {
    advance: advanced,
    events: [
      ...handOverEvents(run, task, advanced.task, at),
      ...denialEvents(run, result, at),
      ...productEvents(run, result, at),
      ...uncountedEvents(context, result, at),
      endEvent(run, result, at),
    ],
    endRun: toRunEnd(run, result, at),
    checks: result.checks,
    artifacts: result.artifacts,
  };
}

/** Nobody takes over from themselves. */
function findFallback({ settings, state, task, run }: StepContext): string | null {
  const { fallbackAgent } = settings;
  if (fallbackAgent === null || run.role === null) return null;
  return resolveRun(settings, state.agent, task.options, run.role).agent === fallbackAgent ? null : fallbackAgent;
}

function handOverEvents(run: Run, before: Task, after: Task, at: number): readonly EventDraft[] {
  const { agent } = after.options;
  if (agent === null || agent === before.options.agent) return [];
  const summary = `its agent has used up its quota: ${agent} takes over`;
  return [
    { at, task: run.task, run: run.id, type: "run.note", level: "warning", actor: SYSTEM, summary, data: { agent } },
  ];
}

/** An order to end the task outlives the run it came too late for, unless the work is already out in the world. */
function orderedOutcome({ order }: Task, outcome: Outcome): Outcome {
  if (order === null || outcome.name === "published" || outcome.name === "cancel") return outcome;
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
      ...(result.denials.length > 0 && { denied: result.denials.map(({ sentence }) => sentence) }),
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
  return denials.map(({ kind, target, sentence, count }) => ({
    at,
    task: run.task,
    run: run.id,
    type: "run.denied",
    level: "warning",
    actor: SYSTEM,
    summary: count === 1 ? sentence : `${sentence} (${count} times)`,
    data: { kind, target, count },
  }));
}

function endEvent(run: Run, result: StepResult, at: number): EventDraft {
  const { outcome, endedBy, error } = result;
  const interrupted = outcome.name === "interrupted";
  return {
    at,
    task: run.task,
    run: run.id,
    type: interrupted ? "run.interrupted" : "run.ended",
    level: error === null ? "info" : "warning",
    actor: SYSTEM,
    summary: `${run.role ?? run.step}: ${outcome.name}${outcome.summary === "" ? "" : ` – ${outcome.summary}`}`,
    data: { outcome: outcome.name, ended_by: endedBy, ...costData(run, result, at) },
  };
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
