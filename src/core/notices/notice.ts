import { describeWalk } from "../nightly/category.ts";
import { nextCommands } from "./notice-commands.ts";
import type { PipelinePolicy } from "../pipeline/pipeline-policy.ts";
import type { WaitKind } from "../pipeline/pipeline.ts";
import { REASON_KINDS } from "../nightly/proposal-reason.ts";
import type { ToldKind } from "../task/settings.ts";
import { hasEnded, type Task, type TaskStatus, type WaitingFor } from "../task/task.ts";

/** The channels that are there without any settings. */
export const TERMINAL = "terminal";
export const RUN_LOG = "run_log";

/**
 * `closed`: its change request, and nobody said why. `missed`: the moment it was scheduled for. `skipped`: a moment, for its
 * sake. `refused`: a moment, which came to no task. `login`, `provider`: what it waits for, and is tried with again.
 */
export type NoticeAbout = "closed" | "missed" | "skipped" | "refused" | "login" | "provider";

/** What a notice knows besides its words: enough to say it in another way, or to act on it. */
export interface NoticeData {
  /** Where it tells of something else than how the task goes. */
  readonly about?: NoticeAbout;
  /** The pipeline reports its tasks as nights; missing in notices of other pipelines. */
  readonly isNight?: boolean;
  readonly pipeline: string;
  readonly status: TaskStatus;
  readonly state: string;
  /** What an ended task came to: `published`, `no_improvement`, the name of a failure. */
  readonly outcome: string | null;
  readonly category: string | null;
  /** Why it ended so, or what is asked. */
  readonly reason: string | null;
  readonly url: string | null;
  /** Null: of at least one run nobody knows. */
  readonly costUsd: number | null;
  readonly durationMs: number;
  readonly waitingFor: WaitKind | null;
  /** What a person can do now, as commands to type. */
  readonly next: readonly string[];
}

/** What of a task's runs a notice is about. */
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
  return {
    ...(isNight && { isNight }),
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

/** The same task, told of for what happened around it. */
export function describeHappening(data: NoticeData, about: NoticeAbout, task: string, summary: string): NoticeData {
  if (about === "login" || about === "provider")
    return { ...data, about, reason: summary, next: ["nightshift doctor", ...data.next] };
  if (about !== "closed") return { ...data, about, reason: summary };
  return { ...data, about, reason: `${data.reason ?? "It"}: ${WHY_CLOSED}`, next: [reasonCommand(task)] };
}

/** In words: choices with a bar between them, pasted into a shell, would be a pipe, and the first of them the answer. */
export const WHY_CLOSED = `why was it closed? One of ${REASON_KINDS.join(", ")}`;

export function reasonCommand(task: string): string {
  return `nightshift rules reason ${task} <one of them> "…"`;
}

/** What there is to say of a schedule that came to no task. */
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

/** Logs of nights have a line for each night that ended, and for nothing else. */
export function isEndOfNight(
  kind: ToldKind,
  { isNight = false, about }: Pick<NoticeData, "isNight" | "about">,
): boolean {
  return isNight && kind !== "waiting" && about === undefined;
}

/** The same however often it is sent: a number alone would come again in a new database. */
export function deliveryId({ project, task, at, id }: Delivered): string {
  return `${task ?? `${project}-${at}`}-${id}`;
}

interface Delivered {
  readonly project: string;
  readonly task: string | null;
  readonly at: number;
  readonly id: number;
}

/** A night ends in a state whose name says more than the last of its outcomes. */
function outcomeOf({ status, state, outcome }: Task, isNight: boolean): string | null {
  return isNight && status !== "cancelled" ? state : outcome;
}

/** What was published has its address for a reason, which is told anyway; what it is says more. */
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
    default:
      return null;
  }
}
