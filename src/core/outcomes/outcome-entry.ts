import type { z } from "zod";
import type { WaitKind } from "../pipeline/pipeline.ts";
import type { Role } from "../task/role.ts";
import type { StepKind } from "../task/run.ts";
import type { QueueReason, Trigger } from "../task/task.ts";

/**
 * `success`: the step did its work. `verdict`: somebody judged the work. `question`: a person must reply. `decision`: a
 * person decided. `failure`: the run itself went wrong, and its summary is shown as the run's error.
 */
export type OutcomeClass = "success" | "verdict" | "question" | "decision" | "failure";

/** Where an outcome leads when the state says nothing about it. */
export type DefaultEdge =
  /** The same step later. Not an attempt: nothing was tried, or it was not the task's fault. */
  | { readonly do: "park"; readonly queue: QueueReason }
  /** The same step again, `max` times; then `then`. */
  | { readonly do: "again"; readonly max: number; readonly backoff: boolean; readonly then: "fail" | "person" }
  /** Waits, then comes back to this state with the reply. */
  | { readonly do: "ask"; readonly what: "answers" | "choice" }
  | { readonly do: "person" }
  | { readonly do: "fail" }
  | { readonly do: "cancel" };

/** The steps that can end in an outcome. */
export interface OutcomeSource {
  /** The roles whose runs can end in it. */
  readonly agent?: "any" | readonly Role[];
  readonly checks?: boolean;
  readonly publish?: boolean;
  /** The waits that it can end. */
  readonly wait?: "any" | readonly WaitKind[];
}

/** One row of the table of outcomes. Every list of outcomes is derived from these rows. */
export interface OutcomeEntry<Class extends OutcomeClass = OutcomeClass, Payload extends z.ZodType = z.ZodType> {
  readonly class: Class;
  /** What is kept with the run. Rows of earlier versions are read by it as well. */
  readonly payload: Payload;
  readonly from: OutcomeSource;
  /** Null: a pipeline must say where it leads. */
  readonly edge: DefaultEdge | null;
  /** Replaces `edge` in steps of this kind. */
  readonly edgeIn: Readonly<Partial<Record<StepKind, DefaultEdge>>>;
  readonly countsAsAttempt: boolean;
  /** The files are as unreliable as the run was: the run's commit is kept, but the task does not build on it. */
  readonly discardsWork: boolean;
  /** What the next run is told it was started for; null: nothing. */
  readonly trigger: Trigger["kind"] | null;
}

/** `document`: a text for the agents that follow. `execution`: the prompt, tools and directories of one later run. */
export const PLAN_KINDS = ["document", "execution"] as const;
export type PlanKind = (typeof PLAN_KINDS)[number];

/** How an agent reports an outcome. */
export interface ReportForm {
  /** What a report is held to. Unknown keys are left out. */
  readonly schema: z.ZodObject;
  /** Completes "Report it …". */
  readonly when: string;
  /** A report without its `outcome`; shown to agents, and held to the schema by a test. */
  readonly example: Readonly<Record<string, unknown>>;
}

export interface ReportedEntry<
  Class extends OutcomeClass = OutcomeClass,
  Payload extends z.ZodType = z.ZodType,
> extends OutcomeEntry<Class, Payload> {
  readonly reportForm: (plan: PlanKind) => ReportForm;
}

type Given<Class extends OutcomeClass, Payload extends z.ZodType> = Pick<
  OutcomeEntry<Class, Payload>,
  "class" | "payload" | "from"
> &
  Partial<OutcomeEntry>;

export function defineOutcome<Class extends OutcomeClass, Payload extends z.ZodType>(
  given: Given<Class, Payload>,
): OutcomeEntry<Class, Payload> {
  return { edge: null, edgeIn: {}, countsAsAttempt: true, discardsWork: false, trigger: null, ...given };
}

interface GivenReport<Class extends OutcomeClass, Schema extends z.ZodObject> extends ReportForm {
  readonly class: Class;
  readonly schema: Schema;
  readonly from: OutcomeSource;
  readonly edge?: DefaultEdge;
  readonly trigger?: Trigger["kind"];
}

/** An outcome that agents report; what is kept is what they reported. */
export function defineReport<Class extends OutcomeClass, Schema extends z.ZodObject>(
  given: GivenReport<Class, Schema>,
): ReportedEntry<Class, Schema> {
  const { schema, when, example, ...entry } = given;
  return { ...defineOutcome({ ...entry, payload: schema }), reportForm: () => ({ schema, when, example }) };
}
