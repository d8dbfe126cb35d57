import type { AdvanceParams } from "./advance/advance.ts";
import { entryOf, type Outcome } from "../outcomes/outcome.ts";
import { describeComments } from "../task/documents/review.ts";
import type { Trigger } from "../task/task.ts";

// Why the next run is started.

export function outcomeTrigger(params: AdvanceParams): Trigger | null {
  const { outcome, run } = params;
  const kind = entryOf(outcome.name).trigger;
  return kind === null ? null : { kind, text: triggerText(outcome), run: run?.id ?? null };
}

/** For checks, pass on the output. For verdicts, pass on the summary and the details. */
function triggerText(outcome: Outcome): string {
  const { summary } = outcome;
  switch (outcome.name) {
    case "checks_failed":
    case "checks_inconclusive":
    case "not_proven":
    case "policy_failed":
    case "ci_failed":
    case "comments_received":
    case "revise":
      return nonBlank(outcome.payload.details) ?? summary;
    case "changes_requested":
      return [summary, describeComments(outcome.payload.comments)].filter((part) => part !== "").join("\n\n");
    case "verify_failed": {
      const details = nonBlank(outcome.payload.error_details) ?? summary;
      return details === summary ? summary : `${summary}\n\n${details}`;
    }
    default:
      return summary;
  }
}

function nonBlank(text: string | undefined): string | null {
  return text === undefined || text.trim() === "" ? null : text;
}

export function replyTrigger({ outcome, task }: AdvanceParams, kind: "answers" | "choice"): Trigger {
  return { kind, text: outcome.summary, run: task.trigger?.run ?? null };
}

export function resumeTrigger({ outcome, run, task }: AdvanceParams): Trigger {
  // The original trigger still applies: an interrupted repair is still a repair.
  const kind = outcome.name === "invalid_output" ? "report" : "resume";
  const pending = kind === "resume" ? (task.trigger?.text ?? "") : "";
  return { kind, text: pending === "" ? outcome.summary : pending, run: run?.id ?? null };
}

/** Says what was observed, before the reason why the stuck run was started. The session continues. */
function nudgeTrigger(params: AdvanceParams): Trigger {
  const { task, outcome } = params;
  const nudge = `The run was stopped because it seemed to be stuck. ${outcome.summary} Try another approach, or report what keeps you from finishing.`;
  const pending = task.trigger?.text ?? "";
  return { ...retryTrigger(params), text: pending === "" ? nudge : `${nudge}\n\n${pending}` };
}

export function tryAgainTrigger(params: AdvanceParams): Trigger | null {
  const { outcome } = params;
  if (outcome.name === "timeout" && outcome.payload.stuck === true) return nudgeTrigger(params);
  switch (outcome.name) {
    case "outdated_verdict":
      // The next review looks at other work and starts afresh.
      return null;
    case "agent_error":
      return retryTrigger(params);
    case "context_too_long":
      // The session was too long, so it is not resumed.
      return { ...resumeTrigger(params), run: null };
    default:
      return resumeTrigger(params);
  }
}

export function retryTrigger({ outcome, run }: AdvanceParams): Trigger {
  return { kind: "retry", text: outcome.summary, run: run?.id ?? null };
}
