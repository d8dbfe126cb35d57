import type { OutcomeName } from "../outcomes/outcome.ts";
import type { State, Target } from "./pipeline.ts";

/** One way from a state to another, as the file says it; default edges are not among them. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  /** Null where the state's condition does not hold and it is passed over. */
  readonly outcome: OutcomeName | null;
  /** The target whose `to` this is; null where a state is only named by an `else`. */
  readonly target: Target | null;
  /** The target that had run out (its limit used up, no further item in its list) when this way is taken. */
  readonly after: Target | null;
  /** Something ends it: a limit, the list of `next`, or a person who decides. */
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
    // The keys of `on` are outcomes by the type; Object.entries only knows strings.
    const outcome = name as OutcomeName;
    const isDecided = state.step.kind === "wait" || isPersonsChoice(targets);
    return targets.flatMap((target, index) =>
      edgesAlong(target, {
        from: state.name,
        outcome,
        after: null,
        isBounded: isDecided,
        path: [...path, "on", outcome, index],
      }),
    );
  });
  return [...skip, ...steps];
}

/** Several targets without a condition: the machine cannot tell, so a person does. */
export function isPersonsChoice(targets: readonly Target[]): boolean {
  return targets.length > 1 && targets.every(({ when }) => when === null);
}

function edgesAlong(target: Target, edge: Omit<Edge, "to" | "target">): readonly Edge[] {
  const isBounded = edge.isBounded || target.limit !== null || target.next !== null;
  const on: Edge[] =
    target.to === null ? [] : [{ ...edge, to: target.to, target, isBounded, path: [...edge.path, "to"] }];
  const otherwise = { ...edge, after: target, path: [...edge.path, "else"] };
  if (target.else === null) return on;
  if (typeof target.else === "string") return [...on, { ...otherwise, to: target.else, target: null }];
  return [...on, ...edgesAlong(target.else, otherwise)];
}

/** For every state those that can be reached from it over one edge or more. */
type Reach = ReadonlyMap<string, ReadonlySet<string>>;

export function reachOver(states: readonly string[], edges: readonly Pick<Edge, "from" | "to">[]): Reach {
  const next = new Map(states.map((name) => [name, new Set<string>()]));
  for (const { from, to } of edges) if (next.has(to)) next.get(from)?.add(to);
  return new Map(states.map((name) => [name, reachFrom(name, next)]));
}

function reachFrom(start: string, next: Reach): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let name = open.pop(); name !== undefined; name = open.pop())
    for (const to of next.get(name) ?? []) {
      if (reached.has(to)) continue;
      reached.add(to);
      open.push(to);
    }
  return reached;
}

/** The shortest way, both ends included; for the words of a message. */
export function pathBetween(from: string, to: string, edges: readonly Pick<Edge, "from" | "to">[]): readonly string[] {
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
  const way = [to];
  for (let name = cameFrom.get(to); name !== undefined; name = cameFrom.get(name)) way.unshift(name);
  return way;
}
