import type { Via } from "./decision.ts";

export type EventLevel = "debug" | "info" | "warning" | "error";

export interface Actor {
  readonly kind: "person" | "agent" | "system";
  readonly name: string;
  /** How a person sent the request, for the record of a decision. */
  readonly via?: Via;
}

export const SYSTEM: Actor = { kind: "system", name: "nightshift" };

export const EVENT_TYPES = [
  "task.submitted",
  "task.state", // data: from, to, outcome
  "task.waiting",
  "task.queued", // data: kind, until, agent if it is parked
  "task.decided", // a person approved, rejected, answered, chose …; data: decision, via, plan_hash
  "task.paused",
  "task.returned",
  "task.resumed",
  "task.ended",
  "task.deleted",
  "task.files_removed",
  "run.started", // data: role, step, attempt, agent, model
  "run.ended", // data: outcome, ended_by, cost_usd, cost_basis, duration_ms
  "run.interrupted",
  "run.denied", // the sandbox refused something; data: kind, target, count
  "run.note", // for information only
  "workspace.setup", // info if it was skipped; data: reused, kept, kept_at
  "run.tools", // debug; data: tools, how often each was called
  "check.started", // data: name, on (the commit, see CheckPlace), log
  "check.ended", // before the comparison with the base commit; debug if it passed; data as above, status, severity, exit_code, duration_ms
  "artifact.added", // debug; data: type, label, url
  "artifact.failed", // an artifact could not be collected; the run continues without it
  "agent.parked", // no run of it starts for now; data: agent, kind, until, reason
  "agent.unparked", // data: agent, kind, parked_ms
  "agent.retried", // a person or the daemon asks for a probe now; data: agents
  "project.registered",
  "project.trusted",
  "project.removed", // data: project
  "project.untrusted_change",
  "rule.saved", // data: project, rule, text, expires_at
  "rule.removed",
  "token.added", // data: name, rights; never the token
  "token.removed",
  "session.started", // a browser was signed in; data: name
  "session.ended", // a person signed out; data: name
  "notice.failed",
  "schedule.missed", // data: schedule, project, missed (times)
  "schedule.skipped", // the previous task has not ended; data: schedule, project, moment
  "schedule.refused", // the task could not be created; data: schedule, project
  "report.sent", // to the channels; data: night
  "request.merged", // a change request; data: number, url
  "request.closed",
  "request.reopened",
  "request.updated", // people pushed commits; data: number, url, commit
  "request.commented", // by people whose comments start work; data: number, url, commit
  "request.ci_failed", // data: number, url, commit
  "request.conflict", // with the base branch; data: number, url, commit
  "request.unexplained", // people are asked why it was closed; data: number, url, proposal
  "daemon.started",
  "daemon.stopped",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** An event before it is stored; the store assigns its id. */
export interface EventDraft {
  readonly at: number;
  readonly task: string | null;
  readonly run: string | null;
  readonly type: EventType;
  readonly level: EventLevel;
  readonly actor: Actor;
  readonly summary: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** By default an `info` event of the engine itself, about no task and no run. */
export function newEvent(event: Pick<EventDraft, "at" | "type" | "summary"> & Partial<EventDraft>): EventDraft {
  return { task: null, run: null, level: "info", actor: SYSTEM, data: {}, ...event };
}

/** One entry of the append-only log. Ids increase in commit order; a gap is never filled later. */
export interface Event extends EventDraft {
  readonly id: number;
}
