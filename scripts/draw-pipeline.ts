import type { OutcomeName } from "../src/core/outcomes/outcome.ts";
import type { Condition, Pipeline, State, Step, Target } from "../src/core/pipeline/pipeline.ts";
import { edgesFrom, isChosenByPerson, type Edge } from "../src/core/pipeline/pipeline-graph.ts";

/** Words that begin a statement of Mermaid's: a state of that name gets an underscore; what is shown stays as it is. */
const MERMAID_WORDS = ["class", "classdef", "default", "direction", "end", "hide", "note", "scale", "state", "style"];

/** The pipeline as a Mermaid `stateDiagram-v2`. Default edges are left out; a note says so. */
export function drawPipeline(pipeline: Pipeline): string {
  const states = Object.values(pipeline.states);
  const failed = states.find(({ step }) => step.kind === "end" && step.status === "failed");
  const lines = [
    "stateDiagram-v2",
    ...states.map(({ name, step }) => `state "${name}${inBrackets(describeStep(name, step))}" as ${id(name)}`),
    `[*] --> ${id(pipeline.start)}`,
    ...states.flatMap(drawEdges),
    ...(failed === undefined
      ? []
      : [
          `note right of ${id(failed.name)} : Not drawn - failures and cancel lead here or to cancelled, questions wait and come back`,
        ]),
  ];
  return `${lines.join("\n    ")}\n`;
}

function drawEdges(state: State): readonly string[] {
  if (state.step.kind === "end") return [`${id(state.name)} --> [*]`];
  const ways = [...edgesFrom(state), ...asksOf(state)];
  // Outcomes that go the same way share an arrow.
  const arrows = new Map<string, { readonly to: string; readonly note: string; readonly outcomes: string[] }>();
  for (const way of ways) {
    const note = "ask" in way ? `asks for ${way.ask}` : describeEdge(way, state);
    const key = `${way.to} ${note}`;
    const arrow = arrows.get(key) ?? { to: way.to, note, outcomes: [] };
    if (way.outcome !== null) arrow.outcomes.push(way.outcome);
    arrows.set(key, arrow);
  }
  return [...arrows.values()].map(({ to, note, outcomes }) => {
    const label = outcomes.length === 0 ? note : `${outcomes.join(", ")}${inBrackets(note)}`;
    return `${id(state.name)} --> ${id(to)} : ${label}`;
  });
}

function asksOf(state: State): readonly { readonly to: string; readonly outcome: OutcomeName; readonly ask: string }[] {
  return Object.entries(state.on).flatMap(([outcome, targets]) =>
    // The keys of `on` are outcomes by the type; Object.entries only knows strings.
    targets.flatMap(({ ask }) => (ask === null ? [] : [{ to: state.name, outcome: outcome as OutcomeName, ask }])),
  );
}

function describeEdge({ outcome, target, after }: Edge, state: State): string {
  if (outcome === null) return state.when === null ? "" : inWords({ ...state.when, holds: !state.when.holds });
  const parts = [
    after === null ? "" : runsOut(after),
    target?.when == null ? "" : inWords(target.when),
    target?.limit == null ? "" : `${target.limit.name}, at most ${target.limit.max}`,
    target?.next == null ? "" : `next ${target.next}`,
    target?.role == null ? "" : `as ${target.role}`,
    isChosenByPerson(state.on[outcome] ?? []) ? "a person chooses" : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function runsOut({ limit, next }: Target): string {
  return limit === null ? `no ${next} left` : `${limit.name} used up`;
}

function inWords({ fact, holds }: Condition): string {
  return holds ? `if ${fact}` : `unless ${fact}`;
}

function describeStep(name: string, step: Step): string {
  switch (step.kind) {
    case "agent":
      return step.role;
    case "wait":
      return `waits for ${step.for}`;
    case "checks":
    case "publish":
    case "post":
      return "";
    case "end":
      return step.status === name ? "" : step.status;
  }
}

function inBrackets(text: string): string {
  return text === "" ? "" : ` (${text})`;
}

function id(name: string): string {
  return MERMAID_WORDS.includes(name) ? `${name}_` : name;
}
