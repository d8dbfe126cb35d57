import { DOCUMENT_KINDS, kindOf, newestOf, type DocumentKind } from "../task/documents/document.ts";
import type { ApprovedState, Task } from "../task/task.ts";
import { resolveState } from "./advance/enter-state.ts";
import type { Facts, Pipeline, State, Target } from "./pipeline.ts";
import { edgesFrom, postsReview } from "./pipeline-graph.ts";

type GatedTask = Pick<Task, "approvedStates" | "planHash" | "documents">;

/**
 * Returns the gates that the task would skip if it continued at `state`: the states in front of it where a person has to
 * decide. Empty if the task gets there without a person, or if a person already moved it there with the same documents.
 */
export function findSkippedGates(pipeline: Pipeline, facts: Facts, task: GatedTask, state: string): readonly string[] {
  const target = resolveState(pipeline, state, facts);
  // A person decides there before anything happens.
  if (target?.step.kind === "wait") return [];
  const start = resolveState(pipeline, pipeline.start, facts);
  const current = currentHashes(task);
  const approved = task.approvedStates.filter(({ planHash }) => current.has(planHash));
  const reached = new Set([...(start === null ? [] : [start.name]), ...approved.map((each) => each.state)]);
  const gates: string[] = [];
  // A state that is added during the iteration is visited too.
  for (const name of reached) {
    const from = pipeline.states[name];
    const moves = from === undefined ? [] : movesFrom(pipeline, facts, from);
    if (moves.some(({ byPerson }) => byPerson)) gates.push(name);
    for (const { to, byPerson } of moves) if (!byPerson) reached.add(to);
  }
  return target === null || reached.has(target.name) ? [] : gates;
}

interface PossibleMove {
  readonly to: string;
  readonly byPerson: boolean;
}

function movesFrom(pipeline: Pipeline, facts: Facts, state: State): readonly PossibleMove[] {
  return edgesFrom(state).flatMap(({ outcome, to, target, after }) => {
    // The edge of a false condition has no outcome; `resolveState` follows it.
    if (outcome === null || ![target, after].every((each) => each === null || holds(each, facts))) return [];
    const entered = resolveState(pipeline, to, facts);
    const isChoice = (state.on[outcome] ?? []).filter((each) => holds(each, facts)).length > 1;
    return entered === null ? [] : [{ to: entered.name, byPerson: state.step.kind === "wait" || isChoice }];
  });
}

/** The kind of document that a person decides about in this state, if the task has none of that kind yet. Otherwise null. */
export function findMissingDocument(
  pipeline: Pipeline,
  facts: Facts,
  { documents, planHash }: GatedTask,
  state: string,
): DocumentKind | null {
  const gate = resolveState(pipeline, state, facts);
  if (gate?.step.kind !== "wait") return null;
  const kinds = Object.values(pipeline.states)
    .flatMap(edgesFrom)
    .flatMap(({ to, outcome }) =>
      to === gate.name && outcome !== null ? (kindOf(outcome, postsReview(pipeline)) ?? []) : [],
    );
  const isWritten = kinds.some((kind) => newestOf(documents, kind) !== null || (kind === "plan" && planHash !== null));
  return isWritten ? null : (kinds[0] ?? null);
}

/** An approval holds until the approved document has a newer version. Tasks of earlier versions have only the plan's hash. */
function currentHashes({ documents, planHash }: GatedTask): ReadonlySet<string | null> {
  if (documents.length === 0) return new Set([planHash]);
  return new Set(DOCUMENT_KINDS.flatMap((kind) => newestOf(documents, kind)?.hash ?? []));
}

function holds({ when }: Target, facts: Facts): boolean {
  return when === null || facts[when.fact] === when.holds;
}

/** Records that a person moved the task to its current state. */
export function approveState(task: Task): Task {
  const approved: ApprovedState = { state: task.state, planHash: task.documents.at(-1)?.hash ?? task.planHash };
  const others = task.approvedStates.filter(({ state }) => state !== task.state);
  return { ...task, approvedStates: [...others, approved] };
}
