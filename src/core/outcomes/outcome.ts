import type { z } from "zod";
import type { Role } from "../task/role.ts";
import { ENGINE_OUTCOMES } from "./engine-outcomes.ts";
import { FAILURES } from "./failure-outcomes.ts";
import { NIGHTLY_OUTCOMES } from "./nightly-outcomes.ts";
import type { OutcomeClass, OutcomeEntry, PlanKind, ReportForm } from "./outcome-entry.ts";
import { DECISIONS } from "./people-outcomes.ts";
import { WORK_OUTCOMES } from "./work-outcomes.ts";

const REPORTED = { ...NIGHTLY_OUTCOMES, ...WORK_OUTCOMES };

/** All outcomes. Types, schemas, prompts, default edges and the table in the docs are derived from it. */
const TABLE = { ...REPORTED, ...ENGINE_OUTCOMES, ...FAILURES, ...DECISIONS };

export type OutcomeName = keyof typeof TABLE;
/** An outcome that an agent may report. */
export type AgentOutcome = keyof typeof REPORTED;
/** A failure that can end a run of any step. */
export type FailureOutcome = keyof typeof FAILURES;
type PeopleOutcome = keyof typeof DECISIONS;

export const OUTCOMES = namesOf(TABLE);
export const AGENT_OUTCOMES: readonly AgentOutcome[] = namesOf(REPORTED);
export const FAILURE_OUTCOMES: readonly FailureOutcome[] = namesOf(FAILURES);
/** @internal Used by the generated table in docs/pipelines.md. */
export const PEOPLE_OUTCOMES: readonly PeopleOutcome[] = namesOf(DECISIONS);

type OutcomeOfClass<Class extends OutcomeClass> = {
  [Name in OutcomeName]: (typeof TABLE)[Name]["class"] extends Class ? Name : never;
}[OutcomeName];

export type PayloadOf<Name extends OutcomeName> = z.output<(typeof TABLE)[Name]["payload"]>;

/** The result of a step; the input of `advance`. */
export type Outcome<Name extends OutcomeName = OutcomeName> = {
  [Each in Name]: {
    readonly name: Each;
    /** One or two sentences for people. */
    readonly summary: string;
    readonly payload: PayloadOf<Each>;
    /** When to try again, if known, for `usage_limit`, `provider_down` and `night_over`. */
    readonly retryAt: number | null;
  };
}[Name];

/** Outcomes that need no payload. */
export type BareOutcome = {
  [Name in OutcomeName]: Record<string, never> extends PayloadOf<Name> ? Name : never;
}[OutcomeName];

export function outcomeOf<Name extends BareOutcome>(name: Name, summary: string): Outcome<Name>;
export function outcomeOf<Name extends OutcomeName>(
  name: Name,
  summary: string,
  payload: PayloadOf<Name>,
): Outcome<Name>;
export function outcomeOf(name: OutcomeName, summary: string, payload: object = {}): Outcome {
  // The overloads pair each name with its payload.
  return { name, summary, payload, retryAt: null } as Outcome;
}

export function entryOf(name: OutcomeName): OutcomeEntry {
  return TABLE[name];
}

export function isOutcome(name: string): name is OutcomeName {
  return Object.hasOwn(TABLE, name);
}

/** The outcome of a failed run. Its summary is shown as the run's error. */
export type Failure = Outcome<OutcomeOfClass<"failure">>;

export function isFailure<Named extends Pick<Outcome, "name">>(
  outcome: Named,
): outcome is Extract<Named, Pick<Failure, "name">> {
  return entryOf(outcome.name).class === "failure";
}

/** The outcomes that a role may report. */
export function outcomesOf(role: Role): readonly AgentOutcome[] {
  return AGENT_OUTCOMES.filter((name) => {
    const { agent = [] } = entryOf(name).from;
    return agent === "any" || agent.includes(role);
  });
}

/** Selects the schema of a report. It never depends on the report itself. */
export interface ReportScope {
  readonly role: Role;
  readonly plan: PlanKind;
}

export function reportForm(name: AgentOutcome, plan: PlanKind): ReportForm {
  return REPORTED[name].reportForm(plan);
}

/** A complete example report, for prompts and tests. */
export function exampleOf(name: AgentOutcome, plan: PlanKind): Readonly<Record<string, unknown>> {
  return { outcome: name, ...reportForm(name, plan).example };
}

function namesOf<Table extends object>(table: Table): readonly (keyof Table)[] {
  // The tables are object literals, so Object.keys returns exactly their keys.
  return Object.keys(table) as (keyof Table)[];
}
