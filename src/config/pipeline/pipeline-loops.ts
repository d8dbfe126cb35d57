import { computeReach, findShortestPath, type Edge } from "../../core/pipeline/pipeline-graph.ts";
import type { Draft, Finding, PipelineRule } from "./pipeline-rule.ts";

/** Default edges lead to the failed and cancelled ends, so these need no edge in the file. */
export const everyStateIsReachable: PipelineRule = (draft) => {
  const { start, states } = draft.pipeline;
  if (states[start] === undefined) return [];
  const reached = computeReach(Object.keys(states), allEdges(draft)).get(start);
  return Object.values(states)
    .filter(({ step }) => step.kind !== "end" || step.status === "succeeded")
    .filter(({ name }) => name !== start && reached?.has(name) !== true)
    .map(({ name }) => ({
      path: ["states", name],
      message: `Nothing leads from "${start}" to "${name}". Add an edge to it, or remove it.`,
    }));
};

export const everyStateLeadsToAnEnd: PipelineRule = (draft) => {
  const states = Object.values(draft.pipeline.states);
  const unsure = unsureStates(draft);
  const ends = new Set(states.flatMap(({ name, step }) => (step.kind === "end" || unsure.has(name) ? [name] : [])));
  const reach = computeReach(Object.keys(draft.pipeline.states), allEdges(draft));
  return states
    .filter(({ name }) => !ends.has(name) && ![...(reach.get(name) ?? [])].some((reached) => ends.has(reached)))
    .map(({ name }) => ({ path: ["states", name], message: `No path leads from "${name}" to an end.` }));
};

export const conditionsHaveNoCycle: PipelineRule = ({ pipeline, edges }) => {
  const skips = edges.filter(({ outcome }) => outcome === null);
  return findLoops(skips, {
    pipeline,
    edges: skips,
    message: (way) => `The conditions of ${way} form a cycle. One \`else\` must lead out of it.`,
  });
};

export const everyLoopHasALimit: PipelineRule = (draft) => {
  const edges = unboundedEdges(draft).filter(({ after }) => after === null);
  const steps = edges.filter(({ outcome }) => outcome !== null);
  return findLoops(steps, {
    pipeline: draft.pipeline,
    edges,
    message: (way) =>
      `Nothing bounds the loop ${way}. Give one of its edges a limit, such as { to: …, limit: { again: 3 }, else: … }, or add a state where a person decides.`,
  });
};

export const noElseLeadsBack: PipelineRule = (draft) => {
  const edges = unboundedEdges(draft);
  const fallbacks = edges.filter(({ after }) => after !== null);
  return findLoops(fallbacks, {
    pipeline: draft.pipeline,
    edges,
    message: (way) =>
      `This \`else\` leads back without a limit: ${way}. Once the limit is used up, the task would loop forever. Lead to an end or to a person instead.`,
  });
};

/** Skips states that could not be read, because their limits may be missing. */
function unboundedEdges({ edges, broken }: Draft): readonly Edge[] {
  return edges.filter(({ from, isBounded }) => !isBounded && !broken.has(from));
}

interface LoopParams {
  readonly pipeline: Draft["pipeline"];
  readonly edges: readonly Edge[];
  readonly message: (way: string) => string;
}

/** Returns one finding for every group of states that forms a loop with one of the `closing` edges. */
function findLoops(closing: readonly Edge[], { pipeline, edges, message: tell }: LoopParams): readonly Finding[] {
  const reach = computeReach(Object.keys(pipeline.states), edges);
  const reported = new Set<string>();
  return closing.flatMap(({ from, to, path }) => {
    const closes = from === to || reach.get(to)?.has(from) === true;
    if (!closes || reported.has(from)) return [];
    reported.add(from);
    for (const name of reach.get(from) ?? []) if (reach.get(name)?.has(from) === true) reported.add(name);
    return [{ path, message: tell([from, ...findShortestPath(to, from, edges)].join(" → ")) }];
  });
}

function allEdges(draft: Draft): readonly Pick<Edge, "from" | "to">[] {
  const names = Object.keys(draft.pipeline.states);
  return [...draft.edges, ...[...unsureStates(draft)].flatMap((from) => names.map((to) => ({ from, to })))];
}

/** States that could not be read or that lead to an unknown state. They may have been meant to lead anywhere. */
function unsureStates({ pipeline, edges, broken }: Draft): ReadonlySet<string> {
  const dangling = edges.filter(({ to }) => pipeline.states[to] === undefined);
  return new Set([...broken, ...dangling.map(({ from }) => from)]);
}
