import { entryOf, OUTCOMES, type OutcomeName } from "../outcomes/outcome.ts";
import type { DefaultEdge, OutcomeSource } from "../outcomes/outcome-entry.ts";
import type { Step } from "./pipeline.ts";

/** All outcomes that can end this step. */
export function possibleOutcomes(step: Step): readonly OutcomeName[] {
  return OUTCOMES.filter((name) => isSource(entryOf(name).from, step));
}

function isSource(
  { agent = [], checks = false, publish = false, post = false, wait = [] }: OutcomeSource,
  step: Step,
): boolean {
  switch (step.kind) {
    case "agent":
      return agent === "any" || agent.includes(step.role);
    case "checks":
      return checks;
    case "publish":
      return publish;
    case "post":
      return post;
    case "wait":
      return wait === "any" || wait.includes(step.for);
    case "end":
      return false;
  }
}

export function hasDefaultEdge(outcome: OutcomeName, step: Step): boolean {
  return defaultEdge(outcome, step) !== null;
}

export function defaultEdge(outcome: OutcomeName, step: Step): DefaultEdge | null {
  const { from, edge, edgeIn, edgeInWait } = entryOf(outcome);
  if (step.kind === "end" || !isSource(from, step)) return null;
  return (step.kind === "wait" ? edgeInWait[step.for] : edgeIn[step.kind]) ?? edge;
}

/** True if this edge can require a person's decision. */
export function needsPerson(edge: DefaultEdge): boolean {
  return (
    edge.do === "ask" ||
    edge.do === "person" ||
    edge.do === "decide" ||
    edge.do === "branch" ||
    (edge.do === "again" && edge.then === "person")
  );
}
