import { didYouMean } from "../text/did-you-mean.ts";
import { UserError } from "../text/errors.ts";
import { entryOf, type Outcome } from "../outcomes/outcome.ts";
import type { Task } from "../task/task.ts";
import type { AdvanceParams } from "./advance/advance.ts";
import { resolveState, type Move } from "./advance/enter-state.ts";
import type { Facts, Pipeline, State } from "./pipeline.ts";

/** Finds the state that a task is to stop after (`--until`), by its name or the role of its agent. */
export function findStopState(pipeline: Pipeline, facts: Facts, given: string): string {
  const states = Object.values(pipeline.states).filter(({ step }) => step.kind !== "wait" && step.kind !== "end");
  const found = states.find(({ name }) => name === given) ?? states.find((state) => roleOf(state) === given);
  const names = states.map(({ name }) => name);
  if (found === undefined)
    throw new UserError(
      "invalid",
      `A task of pipeline ${pipeline.name} cannot stop after "${given}".${didYouMean(given, names)}`,
      `Use --until with one of: ${names.join(", ")}.`,
    );
  if (resolveState(pipeline, found.name, facts)?.name !== found.name)
    throw new UserError(
      "invalid",
      `The task cannot stop after "${found.name}", because it skips that state.`,
      `Use --until with one of: ${names.filter((name) => resolveState(pipeline, name, facts)?.name === name).join(", ")}.`,
    );
  return found.name;
}

function roleOf({ step }: State): string | null {
  return step.kind === "agent" ? step.role : null;
}

/** Pauses a task after the state that a person named. If a person has to decide there anyway, it only waits. */
export function stopAsRequested({ task: before, outcome, run }: AdvanceParams, move: Move): Move {
  const { until } = before.options;
  if (until === undefined) return move;
  if (until.reached) return { ...move, task: withoutStop(move.task) };
  const isLeft = before.state === until.state && move.task.state !== until.state;
  if (run === null || !isLeft || !isDone(outcome)) return move;
  const options = { ...move.task.options, until: { ...until, reached: true } };
  return { ...move, task: { ...move.task, options }, pause: true };
}

/** A task that continues no longer stops. */
export function withoutStop(task: Task): Task {
  const { until: _reached, ...options } = task.options;
  return { ...task, options };
}

/** Other verdicts send the task back to work. */
function isDone({ name }: Outcome): boolean {
  switch (name) {
    case "checks_passed":
    case "approved":
    case "changes_requested":
      return true;
    default:
      return entryOf(name).class === "success";
  }
}
