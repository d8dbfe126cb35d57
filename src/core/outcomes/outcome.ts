import type { z } from "zod";
import type { Role } from "../task/role.ts";
import { ENGINE_OUTCOMES } from "./engine-outcomes.ts";
import { FAILURES } from "./failure-outcomes.ts";
import { NIGHTLY_OUTCOMES } from "./nightly-outcomes.ts";
import type { OutcomeClass, OutcomeEntry, PlanKind, ReportForm } from "./outcome-entry.ts";
import { DECISIONS } from "./people-outcomes.ts";
import { WORK_OUTCOMES } from "./work-outcomes.ts";

const REPORTED = { ...NIGHTLY_OUTCOMES, ...WORK_OUTCOMES };

/** Everything a step can come to. Types, schemas, prompts, default edges and the table in the docs are made from it. */
const TABLE = { ...REPORTED, ...ENGINE_OUTCOMES, ...FAILURES, ...DECISIONS };

export type OutcomeName = keyof typeof TABLE;
/** What an agent may report. */
export type AgentOutcome = keyof typeof REPORTED;
/** How a run can go wrong, whatever its step. */
export type FailureOutcome = keyof typeof FAILURES;
type PeopleOutcome = keyof typeof DECISIONS;

export const OUTCOMES = namesOf(TABLE);
export const AGENT_OUTCOMES: readonly AgentOutcome[] = namesOf(REPORTED);
export const FAILURE_OUTCOMES: readonly FailureOutcome[] = namesOf(FAILURES);
/** @internal Used by the generated table in docs/pipelines.md. */
export const PEOPLE_OUTCOMES: readonly PeopleOutcome[] = namesOf(DECISIONS);

/** Every outcome of this class. */
type OutcomeOfClass<Class extends OutcomeClass> = {
  [Name in OutcomeName]: (typeof TABLE)[Name]["class"] extends Class ? Name : never;
}[OutcomeName];

export type PayloadOf<Name extends OutcomeName> = z.output<(typeof TABLE)[Name]["payload"]>;

/** What happened in a step, as `advance` takes it. */
export type Outcome<Name extends OutcomeName = OutcomeName> = {
  [Each in Name]: {
    readonly name: Each;
    /** One or two sentences for people. */
    readonly summary: string;
    readonly payload: PayloadOf<Each>;
    /** When to try again, for `usage_limit`, `provider_down` and `night_over`, where known. */
    readonly retryAt: number | null;
  };
}[Name];

/** The outcomes that can do without a payload. */
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

/** An outcome of a run that went wrong; its summary is shown as the run's error. */
export type Failure = Outcome<OutcomeOfClass<"failure">>;

export function isFailure<Given extends Pick<Outcome, "name">>(
  outcome: Given,
): outcome is Extract<Given, Pick<Failure, "name">> {
  return entryOf(outcome.name).class === "failure";
}

/** What a role may report. */
export function outcomesOf(role: Role): readonly AgentOutcome[] {
  return AGENT_OUTCOMES.filter((name) => {
    const { agent = [] } = entryOf(name).from;
    return agent === "any" || agent.includes(role);
  });
}

/** Who reports, and what its plans hold: by this the schema of a report is chosen, never by what was reported. */
export interface ReportScope {
  readonly role: Role;
  readonly plan: PlanKind;
}

export function reportForm(name: AgentOutcome, plan: PlanKind): ReportForm {
  return REPORTED[name].reportForm(plan);
}

/** A whole report, for agents and tests. */
export function exampleOf(name: AgentOutcome, plan: PlanKind): Readonly<Record<string, unknown>> {
  return { outcome: name, ...reportForm(name, plan).example };
}

function namesOf<Table extends object>(table: Table): readonly (keyof Table)[] {
  // The tables are literals: they have no keys but their own.
  return Object.keys(table) as (keyof Table)[];
}
