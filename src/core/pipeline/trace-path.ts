import type { Transition } from "./describe-path.ts";
import { findShortestPath } from "./pipeline-graph.ts";
import type { EndStatus } from "./pipeline.ts";

/** What is needed of a pipeline to draw the path of a task through it. */
export interface PathPipeline {
  /** In the order of the file. */
  readonly states: readonly {
    readonly name: string;
    readonly end: EndStatus | null;
    readonly on: readonly PathEdge[];
  }[];
}

interface PathEdge {
  readonly outcome: string | null;
  readonly to: string;
  readonly limit: { readonly name: string; readonly max: number } | null;
  /** Taken only if a limit is used up. */
  readonly otherwise: boolean;
}

export interface TracedTask {
  readonly transitions: readonly Transition[];
  readonly current: string;
  readonly hasEnded: boolean;
}

export interface TracedState {
  readonly name: string;
  readonly visits: number;
  /** `ahead`: on the shortest way to success from the current state. */
  readonly place: "past" | "current" | "ahead";
}

/** A way back to an earlier state, or to the same one. */
export interface Loop {
  readonly from: string;
  readonly to: string;
  /** The name of its limit, or the outcome if it has none. */
  readonly name: string;
  readonly times: number;
  /** How often it may be taken in a row. Null without a limit. */
  readonly max: number | null;
}

export interface TracedPath {
  /** In the order of the pipeline. */
  readonly states: readonly TracedState[];
  readonly loops: readonly Loop[];
  /** The same in words. */
  readonly sentence: string;
}

/** The path that a task took through its pipeline, with its loops and how often they were taken, and what comes next. */
export function tracePath(pipeline: PathPipeline, { transitions, current, hasEnded }: TracedTask): TracedPath {
  const order = new Map(pipeline.states.map(({ name }, index) => [name, index]));
  const positionOf = (name: string): number => order.get(name) ?? order.size;
  const first = transitions[0]?.from ?? transitions[0]?.to ?? current;
  const visits = new Map([[first, 1]]);
  const loops = new Map<string, Loop>();
  const steps = [first];
  for (const { from, to, outcome } of transitions) {
    if (from === null) continue;
    visits.set(to, (visits.get(to) ?? 0) + 1);
    const isBack = positionOf(to) <= positionOf(from);
    steps.push(isBack ? describeLoop(countLoop(pipeline, { from, to, outcome }, loops)) : to);
  }
  visits.set(current, visits.get(current) ?? 1);
  const ahead = hasEnded ? [] : findWayAhead(pipeline, current).filter((name) => !visits.has(name));
  const states = [...visits.keys(), ...ahead]
    .toSorted((a, b) => positionOf(a) - positionOf(b))
    .map((name): TracedState => ({ name, visits: visits.get(name) ?? 0, place: placeOf(name, current, visits) }));
  return { states, loops: [...loops.values()], sentence: describeSteps(steps, { ahead, hasEnded }) };
}

function countLoop(
  { states }: PathPipeline,
  { from, to, outcome }: Pick<Loop, "from" | "to"> & { readonly outcome: string },
  loops: Map<string, Loop>,
): Loop {
  const edges = states.find(({ name }) => name === from)?.on ?? [];
  const limit = edges.find((edge) => edge.outcome === outcome && edge.to === to && edge.limit !== null)?.limit ?? null;
  const name = limit?.name ?? outcome;
  const key = JSON.stringify([from, to, name]);
  const loop = { from, to, name, times: (loops.get(key)?.times ?? 0) + 1, max: limit?.max ?? null };
  loops.set(key, loop);
  return loop;
}

function describeLoop({ from, to, name, times, max }: Loop): string {
  // Limits are reset now and then, so a loop may have been taken more often than its limit allows in a row.
  const count = max === null ? name : `${name} ${times}${times > max ? "" : ` of ${max}`}`;
  return from === to ? `${to} again (${count})` : `back to ${to} (${count})`;
}

function placeOf(name: string, current: string, visits: ReadonlyMap<string, number>): TracedState["place"] {
  if (name === current) return "current";
  return visits.has(name) ? "past" : "ahead";
}

/** The states after the current one on the shortest way to an end that counts as success. */
function findWayAhead({ states }: PathPipeline, current: string): readonly string[] {
  const edges = states.flatMap(({ name: from, on }) =>
    on.filter(({ otherwise }) => !otherwise).map(({ to }) => ({ from, to })),
  );
  const ways = states
    .filter(({ end }) => end === "succeeded")
    .map(({ name }) => findShortestPath(current, name, edges))
    .filter((way) => way[0] === current)
    .toSorted((a, b) => a.length - b.length);
  return (ways[0] ?? []).slice(1);
}

const MAX_STEPS = 40;

function describeSteps(
  steps: readonly string[],
  { ahead, hasEnded }: { readonly ahead: readonly string[]; readonly hasEnded: boolean },
): string {
  const before = steps.slice(0, -1);
  const hidden = Math.max(0, before.length - MAX_STEPS);
  const now = steps.at(-1) ?? "";
  const shown = [...(hidden > 0 ? [`${hidden} earlier states`] : []), ...before.slice(hidden)];
  const next = ahead.length === 0 ? "" : ` Next: ${ahead.join(", ")}.`;
  return `Path: ${[...shown, `${hasEnded ? "ended in" : "now"} ${now}`].join(", ")}.${next}`;
}
