import type { AdvanceParams } from "./advance.ts";
import type { ContextEntry, Exchange, Task, Trigger } from "../task/task.ts";
import { terminalLine } from "../text/terminal-text.ts";

/** Stores an outcome's data in the task: the plan, a summary for later runs, or a person's reply. */
export function applyOutcome(params: AdvanceParams): Task {
  const entry = contextEntry(params);
  const task = entry === null ? params.task : { ...params.task, context: [...params.task.context, entry] };
  return withReply(withPlan(withTitle(task, params), params), params);
}

/** With `text: described`, a task has a generic title until the finished change is described. */
function withTitle(task: Task, { outcome, pipeline }: AdvanceParams): Task {
  if (outcome.name !== "described" || pipeline.policy.publish.text === "task") return task;
  return { ...task, title: terminalLine(outcome.payload.title, MAX_TITLE) };
}

const MAX_TITLE = 120;
const REPAIRS: readonly (Trigger["kind"] | undefined)[] = ["errors", "verdict", "conflict", "report"];

function contextEntry({ outcome, run, task, at }: AdvanceParams): ContextEntry | null {
  if (run === null) return null;
  const kind = contextKind();
  return kind === null ? null : { kind, text: outcome.summary, run: run.id, at };

  function contextKind(): ContextEntry["kind"] | null {
    switch (outcome.name) {
      case "implemented":
        return REPAIRS.includes(task.trigger?.kind) || run?.role === "request_changes"
          ? "fix_summary"
          : "implementation_summary";
      case "plan_complete":
        return run?.role === "plan_revision" ? "plan_revision_summary" : "plan_summary";
      case "investigation_complete":
        return "investigation_summary";
      case "design_ready":
        return "design_summary";
      case "approved":
        return "review_approved";
      case "changes_requested":
        return "review_feedback";
      default:
        return null;
    }
  }
}

function withPlan(task: Task, { outcome, digest }: AdvanceParams): Task {
  if (outcome.name !== "plan_complete") return task;
  return { ...task, plan: outcome.payload, planHash: digest(canonicalJson(outcome.payload)) };
}

function withReply(task: Task, { outcome, actor, at }: AdvanceParams): Task {
  if (outcome.name !== "answered" && outcome.name !== "chosen") return task;
  const open = task.conversation.length - 1;
  if (!isOpen(task, task.conversation[open])) return task;
  const reply = Object.fromEntries(Object.entries(outcome.payload).map(([key, value]) => [key, String(value)]));
  const conversation = task.conversation.map((exchange, index): Exchange =>
    index === open ? { ...exchange, reply, by: actor.name, at } : exchange,
  );
  return { ...task, conversation };
}

/** True if the task waits for a reply to this exchange. Exchanges without a reply may also remain after a cancel. */
function isOpen({ waitingFor, state }: Task, exchange: Exchange | undefined): boolean {
  if (exchange === undefined || waitingFor === null || exchange.reply !== null) return false;
  return exchange.kind === waitingFor.kind && exchange.state === state && exchange.at === waitingFor.since;
}

/** JSON that does not depend on the order of keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
