import { newEvent, type EventDraft } from "../../core/task/event.ts";
import { utcMinute, type Schedule, type ScheduleProgress } from "../../core/schedule/schedule.ts";
import type { Task } from "../../core/task/task.ts";
import type { Project } from "../../ports/store.ts";

/** Counting missed times stops here. */
export const MAX_MISSED = 400;

export interface ScheduledTime {
  readonly project: Project;
  readonly schedule: Schedule;
  readonly at: number;
}

export interface DueSchedule extends ScheduledTime {
  readonly progress: ScheduleProgress;
  /** All times since the last start, oldest first. */
  readonly due: readonly number[];
  readonly now: number;
}

export function refusedEvent({ project, schedule: { name }, now }: DueSchedule, reason: string): EventDraft {
  return newEvent({
    at: now,
    type: "schedule.refused",
    level: "error",
    summary: `"${name}" of ${project.name} could not be started: ${reason}`,
    data: { schedule: name, project: project.name },
  });
}

export function skippedEvent({ project, schedule: { name }, at, now }: DueSchedule, running: Task): EventDraft {
  return newEvent({
    at: now,
    task: running.id,
    type: "schedule.skipped",
    level: "warning",
    summary: `"${name}" of ${utcMinute(at)} was skipped: ${running.id} has not ended (${running.status})`,
    data: { schedule: name, project: project.name, moment: at },
  });
}

export function missedEvent({ project, schedule: { name }, due, now }: DueSchedule, task: Task): EventDraft {
  const [first = now] = due;
  const times = `${due.length === MAX_MISSED ? "at least " : ""}${due.length} times`;
  const which = due.length === 1 ? utcMinute(first) : `${times} since ${utcMinute(first)}`;
  return newEvent({
    at: now,
    task: task.id,
    type: "schedule.missed",
    level: "warning",
    summary: `"${name}" should have run ${which}, but Nightshift was not running; it runs once now`,
    data: { schedule: name, project: project.name, missed: due },
  });
}
