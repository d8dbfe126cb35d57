import { RISKS, type Risk } from "./risk.ts";
import type { Task, TaskChangeRequest } from "../task/task.ts";

/** Every task of a report is in exactly one section. */
export const SECTIONS = [
  "decide",
  "review",
  "failed",
  "running",
  "queued",
  "skipped",
  "merged",
  "done",
  "cancelled",
] as const;
export type Section = (typeof SECTIONS)[number];

export interface SectionFacts {
  readonly task: Pick<Task, "status" | "waitingFor" | "outcome">;
  readonly changeRequest: Pick<TaskChangeRequest, "state"> | null;
  /** The task's branch is on the remote. */
  readonly isPublished: boolean;
  /** The pipeline reports its tasks as nights. */
  readonly isNight: boolean;
}

export function sectionOf(facts: SectionFacts): Section {
  const { status, waitingFor } = facts.task;
  switch (status) {
    case "waiting": {
      const isReviewed = waitingFor?.kind === "merge" || waitingFor?.kind === "review";
      return facts.isPublished && isReviewed ? "review" : "decide";
    }
    case "paused":
      return "queued";
    case "succeeded":
      return sectionOfSuccess(facts);
    default:
      return status;
  }
}

function sectionOfSuccess({ task, changeRequest, isPublished, isNight }: SectionFacts): Section {
  if (task.outcome === "merged" || changeRequest?.state === "merged") return "merged";
  if (changeRequest?.state === "closed") return "done";
  if (isPublished) return "review";
  // A night that published nothing found nothing worth a change.
  return isNight ? "skipped" : "done";
}

export interface ReviewOrder {
  readonly risk: Risk;
  readonly readingMinutes: number;
}

/** The lowest risk first, then the shortest, so that a few minutes are enough for most of the changes. */
export function compareChanges(a: ReviewOrder, b: ReviewOrder): number {
  return RISKS.indexOf(a.risk.level) - RISKS.indexOf(b.risk.level) || a.readingMinutes - b.readingMinutes;
}

interface NextFacts {
  readonly task: Pick<Task, "id" | "status">;
  readonly changeRequest: Pick<TaskChangeRequest, "url"> | null;
}

/** What a person may want to do next: commands, or the address of a change request. `commands` apply to any task. */
export function nextFor(
  section: Section,
  { task, changeRequest }: NextFacts,
  commands: readonly string[],
): readonly string[] {
  switch (section) {
    case "review":
      return [changeRequest?.url ?? `nightshift diff ${task.id}`, ...commands];
    case "running":
      return [`nightshift display ${task.id} --follow`];
    case "queued":
      return task.status === "paused" ? [`nightshift resume ${task.id}`] : [];
    case "done":
      return [`nightshift results ${task.id}`];
    default:
      return commands;
  }
}
