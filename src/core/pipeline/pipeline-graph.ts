import type { OutcomeName } from "../outcomes/outcome.ts";
import type { Pipeline, State, Target } from "./pipeline.ts";

/** An edge between two states that the pipeline file defines. Default edges are not included. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  /** Null: the edge that is taken if the state's condition is false. */
  readonly outcome: OutcomeName | null;
  /** The target whose `to` this is; null for an `else` that is only a state name. */
  readonly target: Target | null;
  /** For an `else` edge: the target whose limit is used up or whose list has no more items. */
  readonly after: Target | null;
  /** The edge cannot be taken forever: it has a limit, a `next` list, or a person decides. */
  readonly isBounded: boolean;
  readonly path: readonly (string | number)[];
}

export function edgesFrom(state: State): readonly Edge[] {
  const path = ["states", state.name];
  const skip: Edge[] =
    state.else === null
      ? []
      : [
          {
            from: state.name,
            to: state.else,
            outcome: null,
            target: null,
            after: null,
            isBounded: false,
            path: [...path, "else"],
          },
        ];
  const steps = Object.entries(state.on).flatMap(([name, targets]) => {
    // The keys of `on` are outcome names, but Object.entries returns strings.
    const outcome = name as OutcomeName;
    const isDecidedByPerson = state.step.kind === "wait" || isChosenByPerson(targets);
    return targets.flatMap((target, index) =>
      edgesOfTarget(target, {
        from: state.name,
        outcome,
        after: null,
        isBounded: isDecidedByPerson,
        path: [...path, "on", outcome, index],
      }),
    );
  });
  return [...skip, ...steps];
}

/** Several targets without a condition mean that a person chooses. */
export function isChosenByPerson(targets: readonly Target[]): boolean {
  return targets.length > 1 && targets.every(({ when }) => when === null);
}

function edgesOfTarget(target: Target, edge: Omit<Edge, "to" | "target">): readonly Edge[] {
  const isBounded = edge.isBounded || target.limit !== null || target.next !== null;
  const edges: Edge[] =
    target.to === null ? [] : [{ ...edge, to: target.to, target, isBounded, path: [...edge.path, "to"] }];
  const elseEdge = { ...edge, after: target, path: [...edge.path, "else"] };
  if (target.else === null) return edges;
  if (typeof target.else === "string") return [...edges, { ...elseEdge, to: target.else, target: null }];
  return [...edges, ...edgesOfTarget(target.else, elseEdge)];
}

/** For every state, the states that can be reached from it over one or more edges. */
type Reach = ReadonlyMap<string, ReadonlySet<string>>;

export function computeReach(states: readonly string[], edges: readonly Pick<Edge, "from" | "to">[]): Reach {
  const next = new Map(states.map((name) => [name, new Set<string>()]));
  for (const { from, to } of edges) if (next.has(to)) next.get(from)?.add(to);
  return new Map(states.map((name) => [name, reachFrom(name, next)]));
}

function reachFrom(start: string, next: Reach): ReadonlySet<string> {
  const reached = new Set<string>();
  const pending = [start];
  for (let name = pending.pop(); name !== undefined; name = pending.pop())
    for (const to of next.get(name) ?? []) {
      if (reached.has(to)) continue;
      reached.add(to);
      pending.push(to);
    }
  return reached;
}

/** True if a task can reach the state only through a publish step, so that its change must have been published before. */
export function isAfterPublishing({ start, states }: Pick<Pipeline, "start" | "states">, state: string): boolean {
  const edges = Object.values(states).flatMap((each) => (each.step.kind === "publish" ? [] : edgesFrom(each)));
  return state !== start && computeReach(Object.keys(states), edges).get(start)?.has(state) !== true;
}

/** Includes both ends. */
export function findShortestPath(
  from: string,
  to: string,
  edges: readonly Pick<Edge, "from" | "to">[],
): readonly string[] {
  const cameFrom = new Map<string, string>();
  const open = [from];
  for (const name of open) {
    if (name === to) break;
    for (const edge of edges)
      if (edge.from === name && edge.to !== from && !cameFrom.has(edge.to)) {
        cameFrom.set(edge.to, name);
        open.push(edge.to);
      }
  }
  const route = [to];
  for (let name = cameFrom.get(to); name !== undefined; name = cameFrom.get(name)) route.unshift(name);
  return route;
}

/** Whether the pipeline reviews somebody else's change request and posts the review. */
export function postsReview({ states }: Pick<Pipeline, "states">): boolean {
  return Object.values(states).some(({ step }) => step.kind === "post");
}

/** Whether tasks of this pipeline stay open after publishing. They follow what people do with their branch. */
export function waitsForMerge({ states }: Pick<Pipeline, "states">): boolean {
  return Object.values(states).some(({ step }) => step.kind === "wait" && step.for === "merge");
}
