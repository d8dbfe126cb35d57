import type { Actor, Event } from "./event.ts";

/** How a person sent a request: with a browser, with the command line, or with another client of the API. */
export const VIAS = ["page", "cli", "api"] as const;
export type Via = (typeof VIAS)[number];

/** A decision about a task, as recorded in its event. */
export interface DecisionRecord {
  /** What was decided, as a verb in the past tense. */
  readonly kind: string;
  readonly summary: string;
  /** Hash of the document that the decision is about. Null if it is about something else. */
  readonly planHash: string | null;
  /** Null for decisions of the system, and if it was not recorded. */
  readonly via: Via | null;
}

/** Outcomes and commands, and how people read them in a list of decisions. */
const KINDS: Readonly<Record<string, string>> = {
  approve: "approved",
  reject: "rejected",
  revise: "revised",
  answered: "answered",
  chosen: "chosen",
  merge: "merged",
  cancel: "cancelled",
  kill: "killed",
  retry: "retried",
  follow_up: "continued",
  run: "run",
  apply: "applied",
};

/** The data of the event `task.decided`. */
export function decisionData(
  decision: string,
  { via }: Actor,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return { decision, ...(via !== undefined && { via }), ...more };
}

export function readDecision({ actor, summary, data }: Pick<Event, "actor" | "summary" | "data">): DecisionRecord {
  const name = typeof data["decision"] === "string" ? data["decision"] : "decided";
  const hash = data["plan_hash"];
  return {
    kind: name === "answered" && actor.kind === "system" ? "assumed" : (KINDS[name] ?? name),
    // Summaries start with the name of the outcome, which `kind` says already.
    summary: summary.replace(/^[a-z_]+: /, ""),
    planHash: typeof hash === "string" ? hash : null,
    via: VIAS.find((each) => each === data["via"]) ?? null,
  };
}
