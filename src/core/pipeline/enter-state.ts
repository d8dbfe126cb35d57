import type { AdvanceParams } from "./advance.ts";
import type { EndStatus, Pipeline, State, WaitKind } from "./pipeline.ts";
import type { Role } from "../task/role.ts";
import type { StepKind } from "../task/run.ts";
import type { QueuedFor, Task, Trigger, WaitingFor } from "../task/task.ts";

/** What an outcome comes to: the task in its state, and either a run, a wait or an end. */
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
}

export interface MoveEnd {
  readonly status: EndStatus;
  readonly reason: string;
  /** Where the list that was walked came to more than its last outcome says. */
  readonly outcome?: string;
}

export interface EnterParams extends AdvanceParams {
  readonly to: string;
  /** Another role than the state's own, for the run that starts now. */
  readonly role: Role | null;
  readonly trigger: Trigger | null;
  readonly queuedFor?: QueuedFor | null;
  /** The same step once more, not a new visit: its counters stay. */
  readonly again?: boolean;
}

export function enterState(params: EnterParams): Move {
  const { pipeline, outcome } = params;
  // A condition is asked on the way in; a step that is only tried again is in already.
  const state = params.again === true ? (pipeline.states[params.to] ?? null) : settle(pipeline, params.to, params);
  if (state === null) return goToEnd(params, "failed", `pipeline ${pipeline.name} has no state ${params.to}`);
  const task = visit(params, state.name);
  switch (state.step.kind) {
    case "end":
      return { task, waitingFor: null, next: null, end: { status: state.step.status, reason: outcome.summary } };
    case "wait":
      return { task, waitingFor: waitFor(state.step.for, state, task, params.at), next: null, end: null };
    case "agent":
      return run(task, "agent", (state.name === params.to ? params.role : null) ?? state.step.role, params);
    case "checks":
    case "publish":
      return run(task, state.step.kind, null, params);
  }
}

/** The end state of that status; every pipeline has one for `failed` and `cancelled` (a rule). */
export function goToEnd(params: AdvanceParams, status: EndStatus, reason: string): Move {
  const end = endState(params.pipeline, status);
  const task = { ...params.task, state: end?.name ?? params.task.state };
  return { task, waitingFor: null, next: null, end: { status, reason } };
}

export function endState(pipeline: Pipeline, status: EndStatus): State | null {
  return Object.values(pipeline.states).find(({ step }) => step.kind === "end" && step.status === status) ?? null;
}

/** Follows `else` past states whose condition does not hold. The rules forbid circles; the count is the belt to that brace. */
function settle(pipeline: Pipeline, name: string, { facts }: AdvanceParams): State | null {
  let state = pipeline.states[name];
  for (let steps = Object.keys(pipeline.states).length; state !== undefined && steps > 0; steps -= 1) {
    if (state.when === null || facts[state.when.fact] === state.when.holds) return state;
    state = state.else === null ? undefined : pipeline.states[state.else];
  }
  return null;
}

function visit({ task, trigger, again }: EnterParams, to: string): Task {
  // What went wrong in a state is forgotten when the task goes on: loops are bounded by their named limits.
  const counters = again === true ? task.counters : withoutState(task.counters, task.state);
  return { ...task, state: to, trigger, counters };
}

function withoutState(counters: Task["counters"], state: string): Task["counters"] {
  return Object.fromEntries(Object.entries(counters).filter(([name]) => !name.startsWith(`${state}:`)));
}

function run(task: Task, step: StepKind, role: Role | null, { queuedFor, again }: EnterParams): Move {
  return {
    task,
    waitingFor: null,
    next: { step, role, queuedFor: queuedFor ?? null, again: again ?? false },
    end: null,
  };
}

function waitFor(kind: WaitKind, state: State, task: Task, since: number): WaitingFor {
  switch (kind) {
    case "approval":
      return { kind, planHash: task.planHash, since };
    case "answers":
      return { kind, questions: [], since };
    case "choice":
      return {
        kind,
        reason: `"${state.name}" asks which way to go`,
        options: (state.on.chosen ?? []).flatMap(({ to }) =>
          to === null ? [] : [{ id: to, title: `go on with "${to}"`, description: "", recommended: false }],
        ),
        since,
      };
    case "review":
    case "merge":
      return { kind, since };
  }
}
