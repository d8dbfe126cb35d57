import { resolveState } from "./advance/enter-state.ts";
import { edgesFrom, type Edge } from "./pipeline-graph.ts";
import type { Facts, Pipeline, State, Target } from "./pipeline.ts";

/**
 * The states that a task goes through if every step succeeds the first time, in order. Pipeline files name the outcome that
 * leads on first, so of several edges the first one that does not lead back or to a failure counts.
 */
export function findMainPath(pipeline: Pipeline, facts: Facts): readonly State[] {
  const path: State[] = [];
  for (let state = resolveState(pipeline, pipeline.start, facts); state !== null;) {
    path.push(state);
    const seen = new Set(path.map(({ name }) => name));
    const next = edgesFrom(state).flatMap((edge) => {
      const to = isPossible(edge, facts) ? resolveState(pipeline, edge.to, facts) : null;
      return to === null || seen.has(to.name) || isBadEnd(to) ? [] : [to];
    });
    state = next[0] ?? null;
  }
  return path;
}

/** How often the pipeline lets a task go back from this state, by the names of the limits. */
export function limitsBack(
  state: State,
  path: readonly State[],
  own: Readonly<Record<string, number>>,
): readonly { readonly name: string; readonly max: number }[] {
  const earlier = new Set(path.slice(0, path.indexOf(state)).map(({ name }) => name));
  const limits = new Map<string, number>();
  for (const { to, target } of edgesFrom(state))
    if (earlier.has(to) && target?.limit != null && LIMITS.has(target.limit.name))
      limits.set(target.limit.name, own[target.limit.name] ?? target.limit.max);
  return [...limits].map(([name, max]) => ({ name, max }));
}

/** The other limits are about what people and the forge do, which cannot be foreseen. */
const LIMITS: ReadonlySet<string> = new Set(["repair", "review"]);

function isPossible({ outcome, target, after }: Edge, facts: Facts): boolean {
  return outcome !== null && after === null && holds(target, facts);
}

function holds(target: Target | null, facts: Facts): boolean {
  const when = target?.when ?? null;
  return when === null || facts[when.fact] === when.holds;
}

function isBadEnd({ step }: State): boolean {
  return step.kind === "end" && step.status !== "succeeded";
}
