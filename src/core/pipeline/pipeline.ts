import type { OutcomeName } from "../outcomes/outcome.ts";
import type { PipelinePolicy } from "./pipeline-policy.ts";
import type { PlanKind } from "../outcomes/outcome-entry.ts";
import type { Role } from "../task/role.ts";

/** States, and where each outcome leads. Parsed by parse-pipeline.ts, validated by pipeline-rules.ts. */
export interface Pipeline {
  readonly name: string;
  /** SHA-256 of the file's text. A task keeps the version it started with. */
  readonly hash: string;
  readonly start: string;
  /** Name of the list that the pipeline works through (`category`), fixed when the task is created; null for most. */
  readonly each: string | null;
  readonly policy: PipelinePolicy;
  readonly plan: PlanKind;
  readonly states: Readonly<Record<string, State>>;
}

export interface State {
  readonly name: string;
  readonly step: Step;
  /** The state is entered only if this is true; otherwise the task goes to `else`. */
  readonly when: Condition | null;
  readonly else: string | null;
  readonly on: Readonly<Partial<Record<OutcomeName, readonly Target[]>>>;
  /** `fresh`: every run starts from the base commit, without the work of earlier runs. */
  readonly workspace: "continue" | "fresh";
  /** The pipeline's layer of agent configuration for this state. */
  readonly agent: StateAgent;
}

export type Step =
  | { readonly kind: "agent"; readonly role: Role }
  | { readonly kind: "checks" }
  | { readonly kind: "publish" }
  /** Posts the review of somebody else's change request at the forge. */
  | { readonly kind: "post" }
  | { readonly kind: "wait"; readonly for: WaitKind }
  | { readonly kind: "end"; readonly status: EndStatus };

export const WAIT_KINDS = ["approval", "answers", "choice", "review", "merge"] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

export const END_STATUSES = ["succeeded", "failed", "cancelled"] as const;
export type EndStatus = (typeof END_STATUSES)[number];

/** Facts about a task and its project that conditions can test. */
export const FACTS = ["forge", "design", "auto_plan", "auto_merge", "auto_approve", "skip_plan", "git"] as const;
export type Fact = (typeof FACTS)[number];
export type Facts = Readonly<Record<Fact, boolean>>;

/** Written `forge` or `not forge`. */
export interface Condition {
  readonly fact: Fact;
  readonly holds: boolean;
}

export interface Target {
  /** The next state; null for `ask`, which waits and returns to the same state. */
  readonly to: string | null;
  readonly ask: "answers" | "choice" | null;
  /** How often this edge (and every other with the same name) may be taken, per task or per item of `each`. */
  readonly limit: { readonly name: string; readonly max: number } | null;
  /** Where to go when the limit is used up or the list of `next` has no more items: a state or another target. */
  readonly else: string | Target | null;
  readonly when: Condition | null;
  /** Replaces the role for the run that this edge starts. */
  readonly role: Role | null;
  /** Moves on to the next item of `each` before going to `to`. */
  readonly next: string | null;
}

export interface StateAgent {
  readonly agent: string | null;
  readonly model: string | null;
  readonly timeoutMs: number | null;
  readonly maxTurns: number | null;
  readonly maxBudgetUsd: number | null;
  readonly tools: readonly string[] | null;
  readonly commands: readonly string[] | null;
}
