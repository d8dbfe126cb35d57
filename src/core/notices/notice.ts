import { categoryLabel } from "../nightly/category.ts";
import { nextCommands } from "./notice-commands.ts";
import type { WaitKind } from "../pipeline/pipeline.ts";
import { REASON_KINDS } from "../nightly/proposal-reason.ts";
import type { ToldKind } from "../task/settings.ts";
import { hasEnded, type Items, type Task, type TaskStatus, type WaitingFor } from "../task/task.ts";

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

export function describeTask(
  task: Task,
  facts: { readonly runs: readonly RunCost[]; readonly url: string | null; readonly at: number },
): NoticeData {
  const ended = hasEnded(task);
  return {
    pipeline: task.pipeline,
    status: task.status,
    state: task.state,
    outcome: ended ? outcomeOf(task) : null,
    category: task.items === null ? null : categoryOf(task, task.items),
    reason: ended ? reasonOf(task, facts.url) : askedBy(task.waitingFor),
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
export function isEndOfNight(kind: ToldKind, { pipeline, about }: Pick<NoticeData, "pipeline" | "about">): boolean {
  return pipeline === "improve" && kind !== "waiting" && about === undefined;
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

/** A list that was walked ends in a state whose name says more than the last of its outcomes. */
function outcomeOf({ items, status, state, outcome }: Task): string | null {
  return items !== null && status !== "cancelled" ? state : outcome;
}

/** What was published has its address for a reason, which is told anyway; what it is says more. */
function reasonOf({ reason, title, items }: Task, url: string | null): string | null {
  if (reason === null || reason !== url) return reason;
  return items === null ? null : title;
}

/** What was improved, or what a night that published nothing went through. */
export function categoryOf({ state }: Pick<Task, "state">, items: Items): string | null {
  if (state === "published") return categoryLabel(items);
  const scheduled = items.list.slice(0, items.scheduled).join(", ");
  const others = Math.min(items.at + 1, items.list.length) - items.scheduled;
  if (scheduled === "") return null;
  return others > 0 ? `${scheduled} and ${others} more` : scheduled;
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
