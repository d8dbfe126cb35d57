import { possibleOutcomes } from "../../core/pipeline/edges.ts";
import { FAILURE_OUTCOMES, OUTCOMES, type OutcomeName } from "../../core/outcomes/outcome.ts";
import {
  END_STATUSES,
  WAIT_KINDS,
  type State,
  type StateAgent,
  type Step,
  type Target,
} from "../../core/pipeline/pipeline.ts";
import { readDuration, readMap, readNumber, readOneOf, readText, readTexts, show, type Field } from "./read-fields.ts";
import { readCondition, readTargets } from "./read-target.ts";
import { didYouMean } from "../../core/text/did-you-mean.ts";
import { STATE_ROLES } from "../../core/task/role.ts";

const STEP_KEYS = ["agent", "checks", "publish", "post", "wait", "end"] as const;
const STATE_KEYS = [...STEP_KEYS, "when", "else", "on", "workspace", "with"];
const AGENT_KEYS = ["agent", "model", "timeout", "max_turns", "max_budget_usd", "tools", "commands"] as const;
const NO_AGENT: StateAgent = {
  agent: null,
  model: null,
  timeoutMs: null,
  maxTurns: null,
  maxBudgetUsd: null,
  tools: null,
  commands: null,
};
/** Placeholder for a step that could not be read and was already reported. */
const UNREADABLE: Step = { kind: "end", status: "failed" };

export function readState(name: string, field: Field): State {
  const map =
    readMap(field, `a state: a map with one of ${STEP_KEYS.join(", ")}`, STATE_KEYS) ?? new Map<string, Field>();
  const step = readStep(field, map);
  rejectUnusedKeys(map, step);
  const condition = map.get("when");
  const otherwise = map.get("else");
  const outcomes = map.get("on");
  const workspace = map.get("workspace");
  const agent = map.get("with");
  return {
    name,
    step: step ?? UNREADABLE,
    when: condition === undefined ? null : readCondition(condition),
    else: otherwise === undefined ? null : readText(otherwise, "the name of a state"),
    on: outcomes === undefined ? {} : readOutcomes(outcomes, step),
    workspace:
      workspace === undefined ? "continue" : (readOneOf(workspace, "a workspace", ["continue", "fresh"]) ?? "continue"),
    agent: agent === undefined ? NO_AGENT : readAgent(agent),
  };
}

function readStep({ path, report, value }: Field, map: ReadonlyMap<string, Field>): Step | null {
  const [found, ...more] = STEP_KEYS.flatMap((key) => {
    const field = map.get(key);
    return field === undefined ? [] : [{ key, field }];
  });
  if (found === undefined || more.length > 0) {
    const keys = [found, ...more].flatMap((step) => (step === undefined ? [] : [step.key]));
    const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isMap)
      report(path, `A state has exactly one of ${STEP_KEYS.join(", ")}; found ${keys.join(" and ") || "none"}.`);
    return null;
  }
  return toStep(found.key, found.field);
}

function toStep(key: (typeof STEP_KEYS)[number], field: Field): Step | null {
  switch (key) {
    case "agent": {
      const role = readOneOf(field, "a role", STATE_ROLES);
      return role === null ? null : { kind: "agent", role };
    }
    case "wait": {
      const kind = readOneOf(field, "a kind of wait", WAIT_KINDS);
      return kind === null ? null : { kind: "wait", for: kind };
    }
    case "end": {
      const status = readOneOf(field, "an end status", END_STATUSES);
      return status === null ? null : { kind: "end", status };
    }
    case "post":
      return readOneOf(field, "something to post", ["review"]) === null ? null : { kind: "post" };
    case "checks":
    case "publish":
      if (field.value === true) return { kind: key };
      field.report(field.path, `Expected \`${key}: true\`, found ${show(field.value)}.`);
      return null;
  }
}

/** Reports keys that have no meaning for this kind of step. */
function rejectUnusedKeys(map: ReadonlyMap<string, Field>, step: Step | null): void {
  if (step === null || step.kind === "agent") return;
  const unusedKeys = step.kind === "end" ? ["when", "else", "on", "workspace", "with"] : ["workspace", "with"];
  for (const key of unusedKeys) {
    const field = map.get(key);
    const where = step.kind === "end" ? "An end has no" : "Only a state with `agent` has";
    field?.report(field.path, `${where} \`${key}\`.`);
  }
}

function readOutcomes(field: Field, step: Step | null): State["on"] {
  const on: Partial<Record<OutcomeName, readonly Target[]>> = Object.create(null);
  for (const [name, target] of readMap(field, "a map from outcomes to states", null) ?? []) {
    const targets = readTargets(target);
    const outcome = OUTCOMES.find((candidate) => candidate === name);
    if (outcome !== undefined) on[outcome] = targets;
    else {
      const endings = step === null ? "" : ` ${describeEndings(possibleOutcomes(step))}`;
      target.report(target.path, `${show(name)} is not an outcome.${didYouMean(name, OUTCOMES)}${endings}`);
    }
  }
  return on;
}

/** Does not list the failures, which are the same for every step. */
export function describeEndings(outcomes: readonly OutcomeName[]): string {
  const own = outcomes.filter((outcome) => !FAILURE_OUTCOMES.some((failure) => failure === outcome));
  const failures = own.length === outcomes.length ? "" : ", or in a failure such as timeout or agent_error";
  return `This state can end in ${own.join(", ")}${failures}.`;
}

function readAgent(field: Field): StateAgent {
  const map = readMap(field, "the agent's settings", AGENT_KEYS);
  const read = <T>(key: (typeof AGENT_KEYS)[number], how: (field: Field) => T): T | null => {
    const child = map?.get(key);
    return child === undefined ? null : how(child);
  };
  return {
    agent: read("agent", (child) => readText(child, "the name of an agent")),
    model: read("model", (child) => readText(child, "the name of a model")),
    timeoutMs: read("timeout", readDuration),
    maxTurns: read("max_turns", (child) => readNumber(child, { above: 0, max: 10_000, whole: true })),
    maxBudgetUsd: read("max_budget_usd", (child) => readNumber(child, { above: 0, max: 10_000, whole: false })),
    tools: read("tools", (child) => readTexts(child, "a list of tools")),
    commands: read("commands", (child) => readTexts(child, "a list of commands")),
  };
}
