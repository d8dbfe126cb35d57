import { didYouMean } from "../../core/text/did-you-mean.ts";
import { hasDefaultEdge, possibleOutcomes } from "../../core/pipeline/edges.ts";
import { endState } from "../../core/pipeline/advance/enter-state.ts";
import type { EndStatus, Pipeline, State, Step } from "../../core/pipeline/pipeline.ts";
import { computeReach, findShortestPath, type Edge } from "../../core/pipeline/pipeline-graph.ts";
import type { Role } from "../../core/task/role.ts";
import { show, type Path } from "./read-fields.ts";
import { describeEndings } from "./read-state.ts";

/** A pipeline as far as it could be read. */
export interface Draft {
  readonly pipeline: Pipeline;
  readonly edges: readonly Edge[];
  /** States that could not be read completely. Rules do not report what is missing in them. */
  readonly broken: ReadonlySet<string>;
}

export interface Finding {
  readonly path: Path;
  readonly message: string;
}

export type PipelineRule = (draft: Draft) => readonly Finding[];

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

export const startIsAState: PipelineRule = ({ pipeline, broken }) => {
  const path = ["start"];
  const state = pipeline.states[pipeline.start];
  if (state === undefined) return [{ path, message: noSuchState(pipeline, pipeline.start) }];
  if (state.step.kind !== "end" || broken.has(state.name)) return [];
  return [{ path, message: `A task cannot start in "${state.name}", which is an end.` }];
};

export const everyTargetNamesAState: PipelineRule = ({ pipeline, edges }) =>
  edges
    .filter(({ to }) => pipeline.states[to] === undefined)
    .map(({ to, path }) => ({ path, message: noSuchState(pipeline, to) }));

export const everyOutcomeHasATarget: PipelineRule = (draft) =>
  stepsOfStates(draft).flatMap(({ state, steps }) => {
    const needed = steps.flatMap((step) => possibleOutcomes(step).filter((outcome) => !hasDefaultEdge(outcome, step)));
    return [...new Set(needed)]
      .filter((outcome) => state.on[outcome] === undefined)
      .map((outcome) => ({
        path: Object.keys(state.on).length === 0 ? ["states", state.name] : ["states", state.name, "on"],
        message: `"${state.name}" can end in "${outcome}" but has no target for it. Add \`${outcome}: <state>\` under \`on\`.`,
      }));
  });

export const everyOutcomeIsPossible: PipelineRule = (draft) =>
  stepsOfStates(draft).flatMap(({ state, steps }) => {
    const possible = [...new Set(steps.flatMap(possibleOutcomes))];
    const known: readonly string[] = possible;
    return Object.keys(state.on)
      .filter((outcome) => !known.includes(outcome))
      .map((outcome) => ({
        path: ["states", state.name, "on", outcome],
        message: `"${state.name}" never ends in "${outcome}".${didYouMean(outcome, possible)} ${describeEndings(possible)}`,
      }));
  });

export const everyConditionHasAnElse: PipelineRule = ({ pipeline, broken }) =>
  readableStates(pipeline, broken).flatMap((state) => {
    const path = ["states", state.name];
    if (state.when !== null && state.else === null)
      return [
        {
          path: [...path, "when"],
          message: "A state with `when` needs an `else`: where to go if the condition is false.",
        },
      ];
    if (state.when === null && state.else !== null)
      return [{ path: [...path, "else"], message: "The `else` of a state belongs to a `when`, but there is none." }];
    return [];
  });

/** Default edges lead to these ends. */
export const everyPipelineCanFailAndBeCancelled: PipelineRule = ({ pipeline, broken }) =>
  broken.size > 0
    ? []
    : (["failed", "cancelled"] as const satisfies readonly EndStatus[])
        .filter((status) => endState(pipeline, status) === null)
        .map((status) => ({
          path: ["states"],
          message: `There is no end for ${status} tasks. Add a state such as \`${status}: { end: ${status} }\`.`,
        }));

export const everyNextWalksTheList: PipelineRule = ({ pipeline, edges, broken }) => {
  const nextEdges = edges.filter(({ target }) => target?.next != null);
  const wrong = nextEdges.filter(({ target }) => target?.next !== pipeline.each);
  if (pipeline.each !== null && nextEdges.length === 0 && broken.size === 0)
    return [
      {
        path: ["each"],
        message: `No edge has \`next: ${pipeline.each}\`, so the list would never get past its first item.`,
      },
    ];
  const list =
    pipeline.each === null ? "this pipeline has no list (`each`)" : `the list of this pipeline is "${pipeline.each}"`;
  return wrong.map((edge) => ({
    path: siblingPath(edge, "next"),
    message: `\`next\` names ${show(edge.target?.next)}, but ${list}.`,
  }));
};

export const everyLimitHasOneNumber: PipelineRule = ({ edges }) => {
  const first = new Map<string, { readonly max: number; readonly state: string }>();
  return edges.flatMap((edge) => {
    const limit = edge.target?.limit;
    if (limit == null) return [];
    const known = first.get(limit.name);
    if (known === undefined) first.set(limit.name, { max: limit.max, state: edge.from });
    if (known === undefined || known.max === limit.max) return [];
    const message = `The limit "${limit.name}" is ${known.max} in "${known.state}" and ${limit.max} here. One name is one counter: give both the same number, or two names.`;
    return [{ path: [...siblingPath(edge, "limit"), limit.name], message }];
  });
};

export const everyListHasConditions: PipelineRule = ({ pipeline }) =>
  Object.values(pipeline.states).flatMap((state) =>
    Object.entries(state.on)
      .filter(([, targets]) => targets.some(({ when }) => when === null) && targets.some(({ when }) => when !== null))
      .map(([outcome]) => ({
        path: ["states", state.name, "on", outcome],
        message:
          "In a list of targets, either each has a `when`, or none has and a person chooses. Here only some have one.",
      })),
  );

export const everyRoleGoesToAnAgent: PipelineRule = ({ pipeline, edges, broken }) =>
  edges
    .filter(({ to, target }) => {
      const state = pipeline.states[to];
      return target?.role != null && state !== undefined && state.step.kind !== "agent" && !broken.has(to);
    })
    .map((edge) => ({
      path: siblingPath(edge, "role"),
      message: `"${edge.to}" is not a state with \`agent\`, so no role can run there.`,
    }));

/** An explicit policy needs the states it relies on, such as the analysis or the description of the change. */
export const everyPolicyHasItsStates: PipelineRule = ({ pipeline: { policy, each, states }, broken }) => {
  if (broken.size > 0) return [];
  const roles = Object.values(states).flatMap(({ step }) => (step.kind === "agent" ? [step.role] : []));
  const needed: readonly { readonly on: boolean; readonly key: readonly string[]; readonly role: Role }[] = [
    { on: policy.ledger, key: ["ledger"], role: "analyze" },
    { on: policy.context === "analysis", key: ["context"], role: "analyze" },
    { on: policy.change.outsideConcern === "refuse", key: ["change", "outside_concern"], role: "analyze" },
    { on: policy.publish.text === "described", key: ["publish", "text"], role: "analyze" },
    { on: policy.publish.text === "described", key: ["publish", "text"], role: "describe" },
  ];
  const missing = needed.filter(({ on, role }) => on && !roles.includes(role));
  const findings = missing.map(({ key, role }) => ({
    path: ["policy", ...key],
    message: `This needs a state with \`agent: ${role}\`, but there is none.`,
  }));
  if (policy.publish.capOpen && !policy.ledger)
    findings.push({
      path: ["policy", "publish", "cap_open"],
      message: "The ledger counts the open change requests. Add `ledger: true` to the policy.",
    });
  if (policy.categories !== null && each === null)
    findings.push({ path: ["policy", "categories"], message: "This pipeline has no list (`each`)." });
  return findings;
};

/** Most important problems first. */
export const PIPELINE_RULES: readonly PipelineRule[] = [
  startIsAState,
  everyTargetNamesAState,
  everyConditionHasAnElse,
  conditionsHaveNoCycle,
  everyOutcomeHasATarget,
  everyOutcomeIsPossible,
  everyListHasConditions,
  everyLimitHasOneNumber,
  everyNextWalksTheList,
  everyRoleGoesToAnAgent,
  everyPipelineCanFailAndBeCancelled,
  everyStateIsReachable,
  everyStateLeadsToAnEnd,
  everyLoopHasALimit,
  noElseLeadsBack,
];

function noSuchState({ states }: Pipeline, name: string): string {
  return `There is no state ${show(name)}.${didYouMean(name, Object.keys(states))} States: ${Object.keys(states).join(", ")}.`;
}

function readableStates({ states }: Pipeline, broken: ReadonlySet<string>): readonly State[] {
  return Object.values(states).filter(({ name }) => !broken.has(name));
}

/** Every state's own step, plus one for each other role that an edge sets for it. */
function stepsOfStates({
  pipeline,
  edges,
  broken,
}: Draft): readonly { readonly state: State; readonly steps: readonly Step[] }[] {
  const edgesWithRole = Map.groupBy(
    edges.filter(({ target }) => target?.role != null),
    ({ to }) => to,
  );
  return readableStates(pipeline, broken).map((state) => {
    if (state.step.kind !== "agent") return { state, steps: [state.step] };
    const roles = (edgesWithRole.get(state.name) ?? []).flatMap(({ target }) => target?.role ?? []);
    return { state, steps: [...new Set([state.step.role, ...roles])].map((role) => ({ kind: "agent", role })) };
  });
}

/** The path of another key of the same target. */
function siblingPath(edge: Edge, key: string): Path {
  return [...edge.path.slice(0, -1), key];
}
