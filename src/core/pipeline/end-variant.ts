import type { AdvanceParams } from "./advance.ts";
import { goToEnd, type Move } from "./enter-state.ts";
import { entryOf, type OutcomeName } from "../outcomes/outcome.ts";
import type { Pipeline, State } from "./pipeline.ts";

const REJECTIONS: readonly OutcomeName[] = ["checks_failed", "policy_failed"];

/**
 * A variant only implements and checks. It ends after the checks, and where any other task would wait for a person or go to
 * another state.
 */
export function endVariant(params: AdvanceParams, state: State, move: Move): Move {
  const { task, outcome, pipeline } = params;
  if (task.options.variantOf === undefined || move.end !== null) return move;
  if (state.step.kind === "checks" && entryOf(outcome.name).class === "verdict")
    return goToEnd(params, REJECTIONS.includes(outcome.name) ? "failed" : "succeeded", outcome.summary);
  const isDone = move.waitingFor !== null || !(isSame(state, move) || isChecks(pipeline, move.task.state));
  return isDone ? goToEnd(params, "failed", outcome.summary) : move;
}

function isSame({ name }: State, { task }: Move): boolean {
  return task.state === name;
}

function isChecks({ states }: Pipeline, name: string): boolean {
  return states[name]?.step.kind === "checks";
}

/** The state in which several agents can implement the task: its success leads to checks. Null if the pipeline has none. */
export function findVariantState(pipeline: Pipeline): State | null {
  if (pipeline.each !== null) return null;
  return Object.values(pipeline.states).find((state) => isImplement(state) && leadsToChecks(pipeline, state)) ?? null;
}

function isImplement({ step }: State): boolean {
  return step.kind === "agent" && step.role === "implement";
}

function leadsToChecks(pipeline: Pipeline, { on }: State): boolean {
  return (on.implemented ?? []).some(({ to }) => to !== null && isChecks(pipeline, to));
}

/** The state of a run. The ranking uses the agent of the review, wherever it takes place. */
export function stateOfRun(
  { states }: Pipeline,
  run: { readonly state: string; readonly role: string | null },
): State | undefined {
  const state = states[run.state];
  if (state === undefined || run.role !== "rank") return state;
  const review = Object.values(states).find(({ step }) => step.kind === "agent" && step.role === "review");
  return { ...state, agent: review?.agent ?? NO_AGENT };
}

const NO_AGENT: State["agent"] = {
  agent: null,
  model: null,
  timeoutMs: null,
  maxTurns: null,
  maxBudgetUsd: null,
  tools: null,
  commands: null,
};
