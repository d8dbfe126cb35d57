import { entryOf, type Outcome } from "../../outcomes/outcome.ts";
import { sortComments } from "./review.ts";
import type { Actor } from "../event.ts";
import type { Role } from "../role.ts";
import type { Trigger } from "../task.ts";

export const CONTEXT_KINDS = [
  "plan_summary",
  "plan_revision_summary",
  "investigation_summary",
  "design_summary",
  "implementation_summary",
  "fix_summary",
  "review_approved",
  "review_feedback",
  "failed_attempt",
  "failed_checks",
  "feedback",
] as const;
export type ContextKind = (typeof CONTEXT_KINDS)[number];

export const CONTEXT_SOURCES = ["agent", "reviewer", "person", "engine"] as const;
export type ContextSource = (typeof CONTEXT_SOURCES)[number];

/** What later runs know about an earlier run or about a person's feedback. */
export interface ContextEntry {
  readonly kind: ContextKind;
  readonly source: ContextSource;
  /** At most MAX_SUMMARY characters. */
  readonly summary: string;
  /** Structured details, such as the comments of a review. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Null for a person's feedback. */
  readonly run: string | null;
  readonly at: number;
}

export const MAX_SUMMARY = 2_000;

interface EntryParams {
  readonly outcome: Outcome;
  readonly run: { readonly id: string; readonly role: Role | null } | null;
  readonly trigger: Trigger | null;
  /** Who decided, if there is no run. */
  readonly actor: Pick<Actor, "name">;
  readonly at: number;
}

/** The entry that an outcome adds. Null if later runs do not need to know about it. */
export function contextEntryOf({ outcome, run, trigger, actor, at }: EntryParams): ContextEntry | null {
  const found = run === null ? describeDecision(outcome, actor.name) : describeRun(outcome, run.role, trigger);
  if (found === null) return null;
  return { ...found, summary: shorten(summaryOf(outcome)), run: run?.id ?? null, at };
}

/** Later runs need the comments themselves. */
function summaryOf(outcome: Outcome): string {
  return (outcome.name === "comments_received" ? outcome.payload.details : undefined) ?? outcome.summary;
}

type Described = Pick<ContextEntry, "kind" | "source" | "data">;

function describeDecision(outcome: Outcome, by: string): Described | null {
  switch (outcome.name) {
    case "changes_requested":
      return { kind: "review_feedback", source: "person", data: { ...reviewData(outcome), by } };
    case "revise":
    case "comments_received":
      return { kind: "feedback", source: "person", data: {} };
    case "ci_failed":
      return { kind: "failed_checks", source: "engine", data: { outcome: outcome.name } };
    default:
      return null;
  }
}

const REPAIRS: readonly (Trigger["kind"] | undefined)[] = ["errors", "verdict", "conflict", "report"];

function byAgent(kind: ContextKind): Described {
  return { kind, source: "agent", data: {} };
}

function describeRun(outcome: Outcome, role: Role | null, trigger: Trigger | null): Described | null {
  switch (outcome.name) {
    case "implemented": {
      const isFix = REPAIRS.includes(trigger?.kind) || role === "request_changes";
      const answers = role === "request_changes" ? (outcome.payload.comments_answered ?? []) : [];
      return {
        ...byAgent(isFix ? "fix_summary" : "implementation_summary"),
        ...(answers.length > 0 && { data: { answers } }),
      };
    }
    case "plan_complete":
      return byAgent(role === "plan_revision" ? "plan_revision_summary" : "plan_summary");
    case "investigation_complete":
      return byAgent("investigation_summary");
    case "design_ready":
      return byAgent("design_summary");
    case "approved":
      return { kind: "review_approved", source: "reviewer", data: reviewData(outcome) };
    case "changes_requested":
      return { kind: "review_feedback", source: "reviewer", data: reviewData(outcome) };
    case "checks_failed":
    case "not_proven":
    case "policy_failed":
      return { kind: "failed_checks", source: "engine", data: { outcome: outcome.name } };
    case "verify_failed":
      return { kind: "failed_checks", source: "reviewer", data: { outcome: outcome.name } };
    default:
      return entryOf(outcome.name).isFailedAttempt
        ? { kind: "failed_attempt", source: "agent", data: { outcome: outcome.name } }
        : null;
  }
}

function reviewData({ payload }: Outcome<"approved" | "changes_requested">): ContextEntry["data"] {
  const { comments, commit } = payload;
  return { comments: sortComments(comments), ...(commit !== undefined && { commit }) };
}

function shorten(text: string): string {
  return text.length <= MAX_SUMMARY ? text : `${text.slice(0, MAX_SUMMARY - 1)}…`;
}
