import type { Pipeline, Target } from "./pipeline.ts";
import { edgesFrom, type Edge } from "./pipeline-graph.ts";

/** What the event `task.state` carries. */
export interface Transition {
  /** Null for the first one of a task. */
  readonly from: string | null;
  readonly to: string;
  readonly outcome: string;
}

/**
 * The way a task took, on one line: `implementing → checking → implementing (repair 1/3) → …`. Of a longer way the last
 * `most` states are shown. Without the pipeline, limits are not told.
 */
export function describePath(transitions: readonly Transition[], pipeline: Pipeline | null, most: number): string {
  const first = transitions[0]?.from;
  const steps = first == null ? [] : [first];
  let used = new Map<string, number>();
  for (const transition of transitions) {
    const target = pipeline === null ? null : targetTaken(pipeline, transition, used);
    // Limits count anew for each item of the list.
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
  const left = steps.length - Math.max(1, most);
  return (left > 0 ? [`… ${left} earlier`, ...steps.slice(left)] : steps).join(" → ");
}

/** The target whose `to` is the state that was entered, or a state that was passed over on the way to it. */
function targetTaken(
  pipeline: Pipeline,
  { from, to, outcome }: Transition,
  used: ReadonlyMap<string, number>,
): Target | null {
  const isOpen = ({ target }: Edge): boolean =>
    target?.limit == null || (used.get(target.limit.name) ?? 0) < target.limit.max;
  const state = from === null ? undefined : pipeline.states[from];
  const edges = state === undefined ? [] : edgesFrom(state).filter((edge) => edge.outcome === outcome && isOpen(edge));
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
