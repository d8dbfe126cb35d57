import type { Pipeline, Target } from "./pipeline.ts";
import { edgesFrom, type Edge } from "./pipeline-graph.ts";

/** The data of a `task.state` event. */
export interface Transition {
  /** Null for the task's first transition. */
  readonly from: string | null;
  readonly to: string;
  readonly outcome: string;
}

/**
 * The states a task went through, on one line: `implementing → checking → implementing (repair 1/3) → …`. Shows the last
 * `maxSteps` states. Limits are shown only if the pipeline is known.
 */
export function describePath(transitions: readonly Transition[], pipeline: Pipeline | null, maxSteps: number): string {
  const first = transitions[0]?.from;
  const steps = first == null ? [] : [first];
  let used = new Map<string, number>();
  for (const transition of transitions) {
    const target = pipeline === null ? null : targetTaken(pipeline, transition, used);
    // Limits are reset for each item of the list.
    if (target?.next != null) used = new Map();
    if (target?.limit == null) {
      steps.push(transition.to);
      continue;
    }
    const { name, max } = target.limit;
    const count = (used.get(name) ?? 0) + 1;
    used.set(name, count);
    steps.push(`${transition.to} (${name} ${count}/${max})`);
  }
  const hidden = steps.length - Math.max(1, maxSteps);
  return (hidden > 0 ? [`… ${hidden} earlier`, ...steps.slice(hidden)] : steps).join(" → ");
}

/** The target that leads to the entered state, directly or through states that were skipped. */
function targetTaken(
  pipeline: Pipeline,
  { from, to, outcome }: Transition,
  used: ReadonlyMap<string, number>,
): Target | null {
  const hasLimitLeft = ({ target }: Edge): boolean =>
    target?.limit == null || (used.get(target.limit.name) ?? 0) < target.limit.max;
  const state = from === null ? undefined : pipeline.states[from];
  const edges =
    state === undefined ? [] : edgesFrom(state).filter((edge) => edge.outcome === outcome && hasLimitLeft(edge));
  const taken = edges.find((edge) => edge.to === to) ?? edges.find((edge) => passesOver(pipeline, edge.to, to));
  return taken?.target ?? null;
}

function passesOver(pipeline: Pipeline, from: string, to: string): boolean {
  const seen = new Set<string>();
  for (let name: string | null = from; name !== null && !seen.has(name); name = pipeline.states[name]?.else ?? null) {
    if (name === to) return true;
    seen.add(name);
  }
  return false;
}
