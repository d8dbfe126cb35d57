import { advance, reopen } from "../../core/pipeline/advance/advance.ts";
import { UserError } from "../../core/text/errors.ts";
import { newEvent, type Actor, type EventDraft } from "../../core/task/event.ts";
import { findMissingDocument, findSkippedGates } from "../../core/pipeline/gates.ts";
import { positionOf, returnToPosition } from "../../core/pipeline/single-run.ts";
import { withoutStop } from "../../core/pipeline/stop-after.ts";
import { isAfterPublishing } from "../../core/pipeline/pipeline-graph.ts";
import type { Facts, Pipeline } from "../../core/pipeline/pipeline.ts";
import { requireRight, type Requester } from "../../core/task/requester.ts";
import { isHeld } from "../../core/task/dependencies.ts";
import { describeStatus } from "../../core/task/describe-status.ts";
import { hasEnded, type Task, type TaskStatus } from "../../core/task/task.ts";
import { findRetryProblem } from "../nightly/find-retry-problem.ts";
import { cleanUp } from "../run/conclude/clean-up.ts";
import { decisionEvent, describeActions } from "./decide.ts";
import { advanceParams } from "../advance-params.ts";
import { pipelineOf } from "../pipeline-of.ts";
import { factsOf, type EnginePorts } from "../ports.ts";
import { outcomeOf } from "../run/step-context.ts";
import { isParked, wakeTask } from "../wake-task.ts";
import { readTask, transact, withTaskLock, type Decision } from "../transact.ts";
import { isListDone } from "../../core/pipeline/items.ts";
import type { RetryDraft } from "./commands-contract.ts";
import { requireKeys } from "./require/require-agents.ts";
import { requireProject } from "./require/require-project.ts";

export type Order = "cancel" | "kill";

const TIMEOUT_MS = 10_000;

/**
 * Ends a task at once if none of its runs is executing. Otherwise it saves the order, and the process that executes the run
 * stops it, collects its work and ends the task.
 */
export async function endTask(ports: EnginePorts, id: string, order: Order, actor: Actor): Promise<Task> {
  const { task } = await transact(ports, id, null, async (before) => {
    if (hasEnded(before))
      throw new UserError(
        "conflict",
        `${id} cannot be ${order === "kill" ? "killed" : "cancelled"}: it has ended (${before.status}).`,
        describeActions(before),
      );
    // Inside the transaction: if the task changes meanwhile, this decision is made again.
    const runs = await ports.store.tasks.listRuns({ task: id, status: ["running", "paused"], project: null, limit: 1 });
    const reason = `${order === "kill" ? "killed" : "cancelled"} by ${actor.name}`;
    return runs.length > 0 ? saveOrder(ports, before, order, actor) : endNow(ports, before, reason, actor);
  });
  if (task.order !== null && !hasEnded(task)) return waitForEnd(ports, id);
  await cleanUp(ports, id);
  return task;
}

function saveOrder(ports: EnginePorts, before: Task, order: Order, actor: Actor): Decision {
  const at = ports.clock.now();
  const task = { ...before, order, updatedAt: at };
  return {
    advance: { task, events: [], next: null },
    events: [decisionEvent(before, { ...outcomeOf("cancel", order), data: { decision: order } }, actor, at)],
  };
}

/** For a task without an executing run. */
export async function endNow(ports: EnginePorts, before: Task, reason: string, actor: Actor): Promise<Decision> {
  const at = ports.clock.now();
  const outcome = outcomeOf("cancel", reason);
  const ends = { events: [decisionEvent(before, outcome, actor, at)], endOthers: { status: "cancelled", at } } as const;
  const position = positionOf(before.trigger);
  // Only the single run ends. The task itself is as it was before.
  if (position !== null)
    return { ...ends, advance: { ...returnToPosition(before, position, { at, run: null }), next: null } };
  const advanced = advance({
    pipeline: await pipelineOf(ports, before),
    task: before,
    outcome,
    run: null,
    actor,
    facts: NO_FACTS,
    limits: {},
    digest: ports.digest,
    at,
  });
  return { ...ends, advance: advanced };
}

/** Transitions to an end have no conditions. */
const NO_FACTS: Facts = {
  forge: false,
  design: false,
  auto_plan: false,
  auto_merge: false,
  auto_approve: false,
  skip_plan: false,
  git: false,
};

/** A single run that was ended returns its task to where it was. */
const END_EVENTS: readonly EventDraft["type"][] = ["task.ended", "task.returned"];

/** The order is durable already. Waiting only lets the caller return the ended task in most cases. */
async function waitForEnd(ports: EnginePorts, id: string): Promise<Task> {
  const ended = Promise.withResolvers<void>();
  const waiting = new AbortController();
  const unsubscribe = ports.store.events.onEvents((events) => {
    if (events.some(({ task, type }) => task === id && END_EVENTS.includes(type))) ended.resolve();
  });
  try {
    // The task may have ended before the subscription started.
    const { order, status } = await readTask(ports, id);
    if (order !== null && !hasEnded({ status }))
      await Promise.race([ended.promise, ports.clock.sleep(TIMEOUT_MS, waiting.signal)]);
  } finally {
    waiting.abort();
    unsubscribe();
  }
  return readTask(ports, id);
}

/** No run of the task starts or continues until it is resumed. The watcher of an executing run stops its process tree. */
export async function pause(ports: EnginePorts, id: string, actor: Actor): Promise<Task> {
  const { task } = await transact(ports, id, null, (before) => {
    if (before.status === "paused" || before.status === "waiting" || hasEnded(before))
      throw wrongStatus(before, "pause", "queued or running");
    return changeStatus(ports, before, { status: "paused", type: "task.paused", actor });
  });
  return task;
}

export async function resume(ports: EnginePorts, id: string, actor: Actor): Promise<Task> {
  const { task } = await transact(ports, id, null, async (before) => {
    if (isParked(before)) return wakeTask(ports, before, `resumed by ${actor.name}`, actor);
    if (before.status !== "paused") throw wrongStatus(before, "resume", "paused or parked");
    const open = await ports.store.tasks.listRuns({ task: id, status: ["running", "paused"], project: null, limit: 1 });
    const status = open.length > 0 ? "running" : "queued";
    const resumed = changeStatus(ports, withoutStop(before), { status, type: "task.resumed", actor });
    if (!isParked(resumed.advance.task) || isHeld(resumed.advance.task)) return resumed;
    // It was parked before it was paused, and a person who resumes it expects it to start.
    const woken = wakeTask(ports, resumed.advance.task, `no longer parked: resumed by ${actor.name}`, actor);
    return { ...woken, events: resumed.advance.events };
  });
  return task;
}

interface StatusChange {
  readonly status: TaskStatus;
  readonly type: "task.paused" | "task.resumed";
  readonly actor: Actor;
}

function changeStatus(
  ports: EnginePorts,
  before: Task,
  { status, type, actor }: StatusChange,
): { advance: { task: Task; events: readonly EventDraft[]; next: null } } {
  const at = ports.clock.now();
  const summary = `${type === "task.paused" ? "paused" : "resumed"} by ${actor.name}`;
  const event = newEvent({ at, task: before.id, type, actor, summary });
  return { advance: { task: { ...before, status, updatedAt: at }, events: [event], next: null } };
}

function wrongStatus(task: Task, verb: string, allowed: string): UserError {
  return new UserError(
    "conflict",
    `Cannot ${verb} ${task.id}: ${describeStatus(task.status)}.`,
    `Only a task that is ${allowed} can be ${verb}d. ${describeActions(task)}`,
  );
}

/** Continues a parked task now. Restarts a failed or cancelled task from a state, by default the one it ended in, and resets its counters. */
export async function retry(ports: EnginePorts, id: string, draft: RetryDraft, actor: Requester): Promise<Task> {
  // The lock waits for a cleanup that may be removing the task's files.
  return withTaskLock(ports, id, () => reopenTask(ports, id, draft, actor));
}

async function reopenTask(ports: EnginePorts, id: string, draft: RetryDraft, actor: Requester): Promise<Task> {
  const state = draft.from ?? null;
  const { task } = await transact(ports, id, null, async (current) => {
    const before = await changeOptions(ports, current, draft);
    if (isParked(before) && (state === null || state === before.state))
      return wakeTask(ports, before, `retried by ${actor.name}`, actor);
    if (before.status !== "failed" && before.status !== "cancelled")
      throw new UserError(
        "conflict",
        `Cannot retry ${id}: ${describeStatus(before.status)}.`,
        before.status === "succeeded"
          ? `To continue it, run "nightshift follow-up ${id} …".`
          : `Only a task that is parked, has failed or was cancelled can be retried. ${describeActions(before)}`,
      );
    const pipeline = await pipelineOf(ports, before);
    const from = state === null ? await findResumeState(ports, pipeline, before) : checkState(pipeline, state);
    const settings = await ports.projects.settings(await requireProject(ports.store, before.project));
    const facts = factsOf(before, settings);
    const missing = findMissingDocument(pipeline, facts, before, from);
    const problem =
      (await findRetryProblem(ports, pipeline, before, from)) ??
      (await findSkippedPublishing(ports, pipeline, id, from)) ??
      (missing === null ? null : `it has no ${missing} to decide about`);
    if (problem !== null)
      throw new UserError(
        "conflict",
        `Cannot retry ${id} from "${from}": ${problem}.`,
        `Use --from ${pipeline.start}.`,
      );
    checkGates({ pipeline, facts, task: before, from, actor });
    const at = ports.clock.now();
    const outcome = outcomeOf("retry", `retried from "${from}" by ${actor.name}`);
    const reopened = { ...forgetRequest(before, pipeline, from), order: null };
    const again = reopen(advanceParams(ports, { pipeline, settings, task: reopened, outcome, actor, at }), from);
    return { advance: again, events: [decisionEvent(before, outcome, actor, at)] };
  });
  return task;
}

/** Files of an ended task may be gone, so a retried review fetches the newest commit. An approved review is posted as it is. */
function forgetRequest(task: Task, { states }: Pipeline, from: string): Task {
  if (task.options.request === undefined || states[from]?.step.kind === "post") return task;
  return { ...task, baseCommit: null, headCommit: null };
}

/** Validated like the options of a new task. A model belongs to its agent, so another agent does not inherit it. */
async function changeOptions(ports: EnginePorts, task: Task, draft: RetryDraft): Promise<Task> {
  const { from: _from, ...changes } = draft;
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value != null));
  if (Object.keys(given).length === 0) return task;
  const model = draft.agent == null || draft.agent === task.options.agent ? task.options.model : null;
  const { planningTimeoutMs: _replaced, ...options } = task.options;
  const kept = draft.timeoutMs == null ? task.options : options;
  const changed: Task = { ...task, options: { ...kept, model, ...given } };
  const settings = await ports.projects.settings(await requireProject(ports.store, task.project));
  requireKeys(ports, { pipeline: await pipelineOf(ports, task), settings, task: changed });
  return changed;
}

interface RetryParams {
  readonly pipeline: Pipeline;
  readonly facts: Facts;
  readonly task: Task;
  readonly from: string;
  readonly actor: Requester;
}

/** Skipping a gate is a decision, so it needs the same right as the decision there. */
export function checkGates({ pipeline, facts, task, from, actor }: RetryParams): void {
  const gates = findSkippedGates(pipeline, facts, task, from);
  if (gates.length === 0) return;
  const names = gates.map((gate) => `"${gate}"`).join(", ");
  requireRight(actor, "approve", `Retrying ${task.id} from "${from}" skips a decision (${names}) and`);
}

/** A retry must not skip publishing: the task would wait for a merge that never comes, or end as succeeded without a result. */
async function findSkippedPublishing(
  ports: EnginePorts,
  pipeline: Pipeline,
  id: string,
  state: string,
): Promise<string | null> {
  if (!isAfterPublishing(pipeline, state)) return null;
  const artifacts = await ports.store.tasks.listArtifacts(id);
  return artifacts.some(({ type }) => type === "branch") ? null : "its change was not published yet";
}

/** A list that was completed, or whose work was deleted, starts over. */
async function findResumeState(ports: EnginePorts, pipeline: Pipeline, task: Task): Promise<string> {
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: 1000 });
  const state = runs.findLast(({ trigger }) => positionOf(trigger) === null)?.state ?? pipeline.start;
  if (isListDone(task) || (await findRetryProblem(ports, pipeline, task, state)) !== null) return pipeline.start;
  return checkState(pipeline, state);
}

function checkState(pipeline: Pipeline, name: string): string {
  const state = pipeline.states[name];
  if (state !== undefined && state.step.kind !== "end") return name;
  const names = Object.values(pipeline.states).filter(({ step }) => step.kind !== "end");
  throw new UserError(
    "invalid",
    state === undefined ? `Pipeline ${pipeline.name} has no state "${name}".` : `"${name}" is an end.`,
    `Use --from with one of: ${names.map((each) => each.name).join(", ")}.`,
  );
}

/** Removes the files first, so a crash in between leaves a task that can be deleted again instead of orphaned files. */
export async function removeTask(ports: EnginePorts, id: string, actor: Actor): Promise<void> {
  await withTaskLock(ports, id, () => removeAll(ports, id, actor));
}

async function removeAll(ports: EnginePorts, id: string, actor: Actor): Promise<void> {
  const task = await readTask(ports, id);
  if (!hasEnded(task))
    throw new UserError(
      "conflict",
      `Cannot delete ${id}: ${describeStatus(task.status)}.`,
      `Run "nightshift cancel ${id}" first.`,
    );
  const runs = await ports.store.tasks.listRuns({ task: id, status: null, project: null, limit: 10_000 });
  await ports.workspaces.remove(id);
  await ports.runFiles.cleanTask(id);
  for (const run of runs) await ports.runFiles.removeRun(run.id);
  const event = newEvent({
    at: ports.clock.now(),
    task: id,
    type: "task.deleted",
    actor,
    summary: `deleted: ${task.title}`,
    data: { runs: runs.length },
  });
  await ports.store.tasks.deleteTask(id, event);
}
