import { computeReach, findShortestPath, type Edge } from "../../core/pipeline/pipeline-graph.ts";
import type { Draft, Finding, PipelineRule } from "./pipeline-rule.ts";

/** Default edges lead to ends by themselves, so an end that is not a success needs no edge of its own. */
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
    .map(({ name }) => ({ path: ["states", name], message: `No way leads from "${name}" to an end.` }));
};

export const noConditionsGoInACircle: PipelineRule = ({ pipeline, edges }) => {
  const skips = edges.filter(({ outcome }) => outcome === null);
  return loopsWith(skips, {
    pipeline,
    edges: skips,
    tell: (way) => `The conditions of ${way} pass a task on in a circle. One \`else\` must lead out of it.`,
  });
};

export const everyLoopHasABudget: PipelineRule = (draft) => {
  const edges = unboundedEdges(draft).filter(({ after }) => after === null);
  const steps = edges.filter(({ outcome }) => outcome !== null);
  return loopsWith(steps, {
    pipeline: draft.pipeline,
    edges,
    tell: (way) =>
      `Nothing bounds the loop ${way}. Give one of its edges a limit, such as { to: …, limit: { again: 3 }, else: … }, or let a person decide on the way.`,
  });
};

export const noElseLeadsBack: PipelineRule = (draft) => {
  const edges = unboundedEdges(draft);
  const fallbacks = edges.filter(({ after }) => after !== null);
  return loopsWith(fallbacks, {
    pipeline: draft.pipeline,
    edges,
    tell: (way) =>
      `This \`else\` leads back without a limit: ${way}. Once the limit is used up the task would go round forever; lead to an end or to a person.`,
  });
};

/** A state that could not be read may have a limit that could not be read. */
function unboundedEdges({ edges, broken }: Draft): readonly Edge[] {
  return edges.filter(({ from, isBounded }) => !isBounded && !broken.has(from));
}

interface LoopParams {
  readonly pipeline: Draft["pipeline"];
  readonly edges: readonly Edge[];
  readonly tell: (way: string) => string;
}

/** One finding for every knot of states that one of `closing` is part of. */
function loopsWith(closing: readonly Edge[], { pipeline, edges, tell }: LoopParams): readonly Finding[] {
  const reach = computeReach(Object.keys(pipeline.states), edges);
  const told = new Set<string>();
  return closing.flatMap(({ from, to, path }) => {
    const closes = from === to || reach.get(to)?.has(from) === true;
    if (!closes || told.has(from)) return [];
    told.add(from);
    for (const name of reach.get(from) ?? []) if (reach.get(name)?.has(from) === true) told.add(name);
    return [{ path, message: tell([from, ...findShortestPath(to, from, edges)].join(" → ")) }];
  });
}

function allEdges(draft: Draft): readonly Pick<Edge, "from" | "to">[] {
  const names = Object.keys(draft.pipeline.states);
  return [...draft.edges, ...[...unsureStates(draft)].flatMap((from) => names.map((to) => ({ from, to })))];
}

/** States that could not be read or name a state that is not there: they may have been meant to lead anywhere. */
function unsureStates({ pipeline, edges, broken }: Draft): ReadonlySet<string> {
  const astray = edges.filter(({ to }) => pipeline.states[to] === undefined);
  return new Set([...broken, ...astray.map(({ from }) => from)]);
}
