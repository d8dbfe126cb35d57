import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { formatTime } from "../../../ui/format.ts";

type Queue = NonNullable<TaskJson["queued_for"]>["kind"];

const QUEUED: Readonly<Record<Queue, string>> = {
  quota: "until the usage limit of its agent resets",
  login: "for a login",
  program: "for the program of its agent",
  provider: "for the model provider",
  remote: "for the git remote",
  machine: "for this machine",
  budget: "for its budget",
  window: "for its time window",
  dependency: "for another task",
  variants: "for its variants",
  capacity: "for capacity on this machine",
  backoff: "for its next attempt",
};

export const WAITING_WORDS: Readonly<Record<NonNullable<TaskJson["waiting_for"]>["kind"], string>> = {
  approval: "Waiting for you to approve",
  answers: "Waiting for your answers",
  choice: "Waiting for you to choose",
  review: "Waiting for your review",
  merge: "Waiting for you to merge",
};

/** The status of a task in words, with what it waits for. */
export function describeStatus(task: TaskJson, now?: number): string {
  switch (task.status) {
    case "queued":
      return `Queued ${describeQueue(task.queued_for, now)}`;
    case "running":
      return "Running";
    case "paused":
      return "Paused";
    case "waiting":
      return task.waiting_for === null ? "Waiting for you" : WAITING_WORDS[task.waiting_for.kind];
    case "succeeded":
      return task.outcome === "merged" ? "Merged" : "Succeeded";
    case "failed":
      return "Failed";
    case "cancelled":
      return "Cancelled";
  }
}

/** "for a free slot", "until the usage limit of its agent resets". */
export function describeQueue(queued: TaskJson["queued_for"], now?: number): string {
  if (queued === null) return "for a free slot";
  const until = queued.until === null ? "" : `, next attempt ${formatTime(queued.until, now)}`;
  return `${QUEUED[queued.kind]}${until}`;
}
