import type { ReviewDraft } from "../forge/review-text.ts";
import { describeWalk } from "../nightly/category.ts";
import type { PipelinePolicy } from "../pipeline/pipeline-policy.ts";
import type { WaitKind } from "../pipeline/pipeline.ts";
import { REASON_KINDS } from "../nightly/proposal.ts";
import type { NotifiedKind } from "../settings/settings.ts";
import { hasEnded, type Task, type TaskStatus, type WaitingFor } from "../task/task.ts";

/** Channels that exist without configuration. */
export const TERMINAL = "terminal";
export const RUN_LOG = "run_log";
/** Closes the change request of a rejected task. No project can configure a channel with this name. */
export const CHANGE_REQUEST = "change request";
/** Posts a person's review comments on the change request. No project can configure a channel with this name. */
export const REVIEW_COMMENTS = "change request review";

/**
 * `closed`: its change request was closed without a reason. `missed`: its scheduled time was missed. `skipped`: a scheduled
 * time was skipped because of it. `refused`: a scheduled time created no task. `report`: what happened in a night. `test`: a person tests the channel. The others: it waits for this and is retried.
 */
export type NoticeAbout = "closed" | "missed" | "skipped" | "refused" | "report" | "test" | ParkedFor;

/** Reasons to wait that people are notified about. */
export const PARKED_FOR = ["quota", "login", "program", "provider", "remote", "machine"] as const;
export type ParkedFor = (typeof PARKED_FOR)[number];

export function isParkedFor(kind: unknown): kind is ParkedFor {
  return PARKED_FOR.some((each) => each === kind);
}

/** Structured content of a notice, for channels that format it themselves or act on it. */
export interface NoticeData {
  /** Set if the notice is not about the task's progress. */
  readonly about?: NoticeAbout;
  /** For the report of a night: the day on which the night began. */
  readonly night?: string;
  /** The pipeline reports its tasks as nights; missing in notices of other pipelines. */
  readonly isNight?: boolean;
  readonly pipeline: string;
  readonly status: TaskStatus;
  readonly state: string;
  /** Outcome of an ended task: `published`, `no_improvement` or a failure class. */
  readonly outcome: string | null;
  readonly category: string | null;
  /** Why it ended, or what it asks. */
  readonly reason: string | null;
  readonly url: string | null;
  /** Where the page shows it. Missing without `server.public_url`. */
  readonly page?: string;
  /** The project's checks that are not accepted. Missing if all of them were accepted. */
  readonly unchecked?: readonly string[];
  /** Null if the cost of at least one run is unknown. */
  readonly costUsd: number | null;
  readonly durationMs: number;
  readonly waitingFor: WaitKind | null;
  /** Commands a person can type now. */
  readonly next: readonly string[];
  /** For the channel that posts a person's review comments. */
  readonly review?: ReviewDraft;
}

/** The part of a run that notices use. */
export interface RunCost {
  readonly step: string;
  readonly startedAt: number | null;
  readonly costUsd: number | null;
}

export interface NoticeFacts {
  readonly report: PipelinePolicy["report"];
  readonly runs: readonly RunCost[];
  readonly url: string | null;
  readonly at: number;
}

export function describeTask(task: Task, facts: NoticeFacts): NoticeData {
  const ended = hasEnded(task);
  const isNight = facts.report === "night";
  const { unchecked = [] } = task.options;
  return {
    ...(isNight && { isNight }),
    ...(unchecked.length > 0 && { unchecked }),
    pipeline: task.pipeline,
    status: task.status,
    state: task.state,
    outcome: ended ? outcomeOf(task, isNight) : null,
    category: describeWalk(task),
    reason: ended ? reasonOf(task, facts.url, isNight) : askedBy(task.waitingFor),
    url: facts.url,
    costUsd: costOf(facts.runs),
    durationMs: Math.max(0, (task.finishedAt ?? facts.at) - task.createdAt),
    waitingFor: task.waitingFor?.kind ?? null,
    next: nextCommands(task),
  };
}

/** The notice data of a task for an event around it. */
export function describeEventNotice(data: NoticeData, about: NoticeAbout, task: string, summary: string): NoticeData {
  if (isParkedFor(about)) return { ...data, about, reason: summary, next: ["nightshift doctor", ...data.next] };
  if (about !== "closed") return { ...data, about, reason: summary };
  return { ...data, about, reason: `${data.reason ?? "It"}: ${WHY_CLOSED}`, next: [reasonCommand(task)] };
}

/** The choices are words, because `a|b` pasted into a shell would be a pipe. */
export const WHY_CLOSED = `why was it closed? One of ${REASON_KINDS.join(", ")}`;

export function reasonCommand(task: string): string {
  return `nightshift rules reason ${task} <one of them> "…"`;
}

/** The notice data of a schedule that created no task. */
export function describeRefused(pipeline: string, summary: string): NoticeData {
  return {
    about: "refused",
    pipeline,
    status: "failed",
    state: "",
    outcome: null,
    category: null,
    reason: summary,
    url: null,
    costUsd: 0,
    durationMs: 0,
    waitingFor: null,
    next: ["nightshift doctor"],
  };
}

/** The project of a notice that is about all projects. */
export const ALL_PROJECTS = "";

/** The notice data of a night's report. `lines` are at most four. */
export function describeReport(night: string, lines: readonly string[], costUsd: number | null): NoticeData {
  return {
    ...describeRefused("", lines.join("\n")),
    about: "report",
    night,
    status: "succeeded",
    costUsd,
    next: ["nightshift report"],
  };
}

/** The notice data of a message that a person sends to find out whether a channel works. */
export function describeTestMessage(by: string): NoticeData {
  return {
    ...describeRefused("", `Sent by ${by} to test this channel.`),
    about: "test",
    status: "succeeded",
    next: [],
  };
}

/** Night logs have one line per ended night, and nothing else. */
export function isEndOfNight(
  kind: NotifiedKind,
  { isNight = false, about }: Pick<NoticeData, "isNight" | "about">,
): boolean {
  return isNight && kind !== "waiting" && about === undefined;
}

/** Stays the same for every attempt. Not only a number, because numbers repeat in a new database. */
export function deliveryId({ project, task, at, id }: Delivered): string {
  return `${task ?? `${project}-${at}`}-${id}`;
}

interface Delivered {
  readonly project: string;
  readonly task: string | null;
  readonly at: number;
  readonly id: number;
}

/** For a night, the final state says more than its last outcome. */
function outcomeOf({ status, state, outcome }: Task, isNight: boolean): string | null {
  return isNight && status !== "cancelled" ? state : outcome;
}

/** The reason of a published task is its URL, which is shown anyway, so the title is used. */
function reasonOf({ reason, title }: Task, url: string | null, isNight: boolean): string | null {
  if (reason === null || reason !== url) return reason;
  return isNight ? title : null;
}

function costOf(runs: readonly RunCost[]): number | null {
  const costs = runs
    .filter(({ step, startedAt }) => step === "agent" && startedAt !== null)
    .map(({ costUsd }) => costUsd);
  return costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}

function askedBy(waiting: WaitingFor | null): string | null {
  switch (waiting?.kind) {
    case "answers": {
      const [first, ...others] = waiting.questions;
      if (first === undefined) return null;
      return others.length === 0 ? first.question : `${first.question} (and ${others.length} more)`;
    }
    case "choice":
      return waiting.reason;
    case "merge":
      return waiting.problem?.reason ?? null;
    default:
      return null;
  }
}

/** Commands a person may want to type next, most likely first. Empty if nothing is left to do. */
export function nextCommands({
  id,
  status,
  waitingFor,
}: Pick<Task, "id" | "status" | "waitingFor">): readonly string[] {
  if (status === "failed" || status === "cancelled") return [`nightshift show ${id}`, `nightshift retry ${id}`];
  switch (waitingFor?.kind) {
    case "approval":
      return [`nightshift approve ${id}`, `nightshift revise ${id} "…"`, `nightshift reject ${id}`];
    case "answers": {
      const answers = waitingFor.questions.map((question) => `${question.id}=…`).join(" ");
      return [`nightshift answer ${id} ${answers === "" ? "…" : answers}`];
    }
    case "choice":
      return waitingFor.options.map((option) => {
        const note = waitingFor.about === "checks" && option.id !== "reject" ? ' --note "…"' : "";
        return `nightshift choose ${id} ${option.id}${note}`;
      });
    case "review":
      return [`nightshift approve ${id}`, `nightshift reject ${id}`];
    case "merge":
      return [`nightshift merge ${id}`, `nightshift reject ${id} "…"`];
    case undefined:
      return [];
  }
}
