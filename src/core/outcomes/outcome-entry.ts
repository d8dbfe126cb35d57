import type { z } from "zod";
import type { WaitKind } from "../pipeline/pipeline.ts";
import type { Role } from "../task/role.ts";
import type { StepKind } from "../task/run.ts";
import type { QueueReason, Trigger } from "../task/task.ts";

/**
 * `success`: the step is done. `verdict`: a judgement of the work. `question`: a person must reply. `decision`: a person
 * decided. `failure`: the run itself failed, and its summary is shown as the run's error.
 */
export type OutcomeClass = "success" | "verdict" | "question" | "decision" | "failure";

/** Where an outcome leads if the state does not define an edge for it. */
export type DefaultEdge =
  /** Run the same step later. Does not count as an attempt. */
  | { readonly do: "park"; readonly queue: QueueReason }
  /** Repeat the step with a growing delay up to `max` times, then do `then`. */
  | { readonly do: "again"; readonly max: number; readonly then: "fail" | "person" }
  /** Wait for a reply, then return to this state. */
  | { readonly do: "ask"; readonly what: "answers" | "choice" }
  /** Let a person decide whether the change is published although the checks do not vouch for it. */
  | { readonly do: "decide" }
  /** Let a person decide about a branch that someone rewrote. */
  | { readonly do: "branch" }
  | { readonly do: "person" }
  | { readonly do: "fail" }
  | { readonly do: "cancel" };

/** The steps that can end in an outcome. */
export interface OutcomeSource {
  /** Roles whose runs can end in the outcome. */
  readonly agent?: "any" | readonly Role[];
  readonly checks?: boolean;
  readonly publish?: boolean;
  readonly post?: boolean;
  /** Waits that the outcome can end. */
  readonly wait?: "any" | readonly WaitKind[];
}

/** One row of the outcome table. Every list of outcomes is derived from these rows. */
export interface OutcomeEntry<Class extends OutcomeClass = OutcomeClass, Payload extends z.ZodType = z.ZodType> {
  readonly class: Class;
  /** Schema of the payload that is stored with the run. It must also accept rows of earlier versions. */
  readonly payload: Payload;
  readonly from: OutcomeSource;
  /** Null: the pipeline must define an edge. */
  readonly edge: DefaultEdge | null;
  /** Replaces `edge` in steps of this kind. */
  readonly edgeIn: Readonly<Partial<Record<StepKind, DefaultEdge>>>;
  /** Replaces `edge` in waits of this kind. */
  readonly edgeInWait: Readonly<Partial<Record<WaitKind, DefaultEdge>>>;
  readonly countsAsAttempt: boolean;
  /** The run's files are unreliable: its commit is kept, but the task does not build on it. */
  readonly discardsWork: boolean;
  /** Later runs are shown what was tried and why it failed. */
  readonly isFailedAttempt: boolean;
  /** Asks for more work on a change that passed its checks. Its count of repairs starts again at zero. */
  readonly startsRound: boolean;
  /** Trigger of the next run; null: none. */
  readonly trigger: Trigger["kind"] | null;
}

/** `document`: a text for later agents. `execution`: the prompt, tools and directories of one later run. */
export const PLAN_KINDS = ["document", "execution"] as const;
export type PlanKind = (typeof PLAN_KINDS)[number];

/** How an agent reports an outcome. */
export interface ReportForm {
  /** Validates a report. Unknown keys are dropped. */
  readonly schema: z.ZodObject;
  /** Completes "Report it …". */
  readonly when: string;
  /** A report without its `outcome`, shown to agents. A test validates it against the schema. */
  readonly example: Readonly<Record<string, unknown>>;
}

export interface ReportedEntry<
  Class extends OutcomeClass = OutcomeClass,
  Payload extends z.ZodType = z.ZodType,
> extends OutcomeEntry<Class, Payload> {
  readonly reportForm: (plan: PlanKind) => ReportForm;
}

type OutcomeDefinition<Class extends OutcomeClass, Payload extends z.ZodType> = Pick<
  OutcomeEntry<Class, Payload>,
  "class" | "payload" | "from"
> &
  Partial<OutcomeEntry>;

export function defineOutcome<Class extends OutcomeClass, Payload extends z.ZodType>(
  definition: OutcomeDefinition<Class, Payload>,
): OutcomeEntry<Class, Payload> {
  return {
    edge: null,
    edgeIn: {},
    edgeInWait: {},
    countsAsAttempt: true,
    discardsWork: false,
    isFailedAttempt: false,
    startsRound: false,
    trigger: null,
    ...definition,
  };
}

interface ReportDefinition<Class extends OutcomeClass, Schema extends z.ZodObject> extends ReportForm {
  readonly class: Class;
  readonly schema: Schema;
  readonly from: OutcomeSource;
  readonly edge?: DefaultEdge;
  readonly edgeInWait?: OutcomeEntry["edgeInWait"];
  readonly trigger?: Trigger["kind"];
  readonly startsRound?: boolean;
}

/** An outcome that agents report. The report itself is stored as payload. */
export function defineReport<Class extends OutcomeClass, Schema extends z.ZodObject>(
  definition: ReportDefinition<Class, Schema>,
): ReportedEntry<Class, Schema> {
  const { schema, when, example, ...entry } = definition;
  return { ...defineOutcome({ ...entry, payload: schema }), reportForm: () => ({ schema, when, example }) };
}
