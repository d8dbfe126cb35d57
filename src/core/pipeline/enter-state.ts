import type { AdvanceParams } from "./advance.ts";
import type { EndStatus, Facts, Pipeline, State, WaitKind } from "./pipeline.ts";
import type { Role } from "../task/role.ts";
import type { StepKind } from "../task/run.ts";
import { entryOf } from "../outcomes/outcome.ts";
import { increment } from "./counters.ts";
import { toOptions } from "../outcomes/read-outcome.ts";
import type { Exchange, Option, QueuedFor, Task, Trigger, WaitingFor } from "../task/task.ts";
import { queuedForVariants, ROUNDS, wantsVariants } from "../task/variants.ts";

/** The effect of an outcome: the task in its new state, and a next run, a wait or an end. */
export interface Move {
  readonly task: Task;
  readonly waitingFor: WaitingFor | null;
  readonly next: {
    readonly step: StepKind;
    readonly role: Role | null;
    readonly queuedFor: QueuedFor | null;
    readonly again: boolean;
  } | null;
  readonly end: MoveEnd | null;
  /** The next run does not start before a person resumes the task. */
  readonly pause?: boolean;
}

export interface MoveEnd {
  readonly status: EndStatus;
  readonly reason: string;
  /** Overrides the last outcome; used for the overall result of a list. */
  readonly outcome?: string;
}

export interface EnterParams extends AdvanceParams {
  readonly to: string;
  /** Replaces the state's own role for the run that starts now. */
  readonly role: Role | null;
  readonly trigger: Trigger | null;
  readonly queuedFor?: QueuedFor | null;
  /** Repeats the current step instead of entering the state anew, so its counters are kept. */
  readonly again?: boolean;
}

export function enterState(params: EnterParams): Move {
  const { pipeline, outcome } = params;
  // Conditions are evaluated only when a state is entered, not when its step is repeated.
  const state =
    params.again === true ? (pipeline.states[params.to] ?? null) : resolveState(pipeline, params.to, params.facts);
  if (state === null) return goToEnd(params, "failed", `pipeline ${pipeline.name} has no state ${params.to}`);
  const task = moveToState(params, state.name);
  switch (state.step.kind) {
    case "end":
      return { task, waitingFor: null, next: null, end: { status: state.step.status, reason: outcome.summary } };
    case "wait":
      return startWait(params, task, state, state.step.for);
    case "agent":
      return startAgentRun(task, (state.name === params.to ? params.role : null) ?? state.step.role, params);
    case "checks":
    case "publish":
      return startRun(task, state.step.kind, null, params);
  }
}

/** Moves the task to the end state with this status. The pipeline rules require one for `failed` and `cancelled`. */
export function goToEnd(params: AdvanceParams, status: EndStatus, reason: string): Move {
  const end = endState(params.pipeline, status);
  const task = { ...params.task, state: end?.name ?? params.task.state };
  return { task, waitingFor: null, next: null, end: { status, reason } };
}

export function endState(pipeline: Pipeline, status: EndStatus): State | null {
  return Object.values(pipeline.states).find(({ step }) => step.kind === "end" && step.status === status) ?? null;
}

/** Follows `else` past states whose condition is false. The rules forbid cycles; the counter is a second safeguard. */
export function resolveState(pipeline: Pipeline, name: string, facts: Facts): State | null {
  let state = pipeline.states[name];
  for (let steps = Object.keys(pipeline.states).length; state !== undefined && steps > 0; steps -= 1) {
    if (state.when === null || facts[state.when.fact] === state.when.holds) return state;
    state = state.else === null ? undefined : pipeline.states[state.else];
  }
  return null;
}

function moveToState({ task, trigger, again }: EnterParams, to: string): Task {
  // A state's failure counters are reset when the task leaves it. Named limits bound the loops.
  const counters = again === true ? task.counters : dropStateCounters(task.counters, task.state);
  return { ...task, state: to, trigger, counters };
}

function dropStateCounters(counters: Task["counters"], state: string): Task["counters"] {
  return Object.fromEntries(Object.entries(counters).filter(([name]) => !name.startsWith(`${state}:`)));
}

function startAgentRun(task: Task, role: Role, params: EnterParams): Move {
  if (role !== "implement" || !wantsVariants(task)) return startRun(task, "agent", role, params);
  // Held until the variants have ended. Then it chooses one of them.
  const queuedFor = queuedForVariants(task.options);
  return startRun(increment(task, ROUNDS), "agent", "rank", { ...params, queuedFor });
}

function startRun(task: Task, step: StepKind, role: Role | null, { queuedFor, again }: EnterParams): Move {
  return {
    task,
    waitingFor: null,
    next: { step, role, queuedFor: queuedFor ?? null, again: again ?? false },
    end: null,
  };
}

function startWait(params: EnterParams, task: Task, state: State, kind: WaitKind): Move {
  const { outcome, at } = params;
  const waitingFor = waitFor(kind, state, task, at);
  // After something happened at the forge, the task is back here because a limit is used up.
  if (waitingFor.kind === "merge" && params.run === null && entryOf(outcome.name).class !== "decision")
    return {
      task,
      waitingFor: { ...waitingFor, problem: { reason: outcome.summary, tries: 0, retryAt: null } },
      next: null,
      end: null,
    };
  // A person chooses one of the fixes that the investigation found.
  if (waitingFor.kind !== "choice" || outcome.name !== "investigation_complete")
    return { task, waitingFor, next: null, end: null };
  const options = outcome.payload.options === undefined ? [REPORTED_FIX] : toOptions(outcome.payload.options);
  const role = params.run?.role ?? null;
  const exchange: Exchange = { kind: "choice", state: state.name, role, asked: options, reply: null, by: null, at };
  return {
    task: { ...task, conversation: [...task.conversation, exchange] },
    waitingFor: { ...waitingFor, reason: outcome.summary, options },
    next: null,
    end: null,
  };
}

/** For a report without options. */
const REPORTED_FIX: Option = {
  id: "fix",
  title: "Fix it as the report says",
  description: "The report names no alternatives.",
  recommended: true,
};

function waitFor(kind: WaitKind, state: State, task: Task, since: number): WaitingFor {
  switch (kind) {
    case "approval":
      return waitForApproval(task, since);
    case "answers":
      return { kind, questions: [], since };
    case "choice":
      return {
        kind,
        reason: `"${state.name}" needs a person to choose the next state`,
        options: (state.on.chosen ?? []).flatMap(({ to }) =>
          to === null ? [] : [{ id: to, title: `continue with "${to}"`, description: "", recommended: false }],
        ),
        since,
      };
    case "review":
    case "merge":
      return { kind, since };
  }
}

/** The newest document is the one that the previous step wrote. */
function waitForApproval(task: Task, since: number): WaitingFor {
  const newest = task.documents.at(-1);
  if (newest === undefined) return { kind: "approval", planHash: task.planHash, since };
  const { kind, version, hash } = newest;
  return { kind: "approval", planHash: hash, document: { kind, version }, since };
}
