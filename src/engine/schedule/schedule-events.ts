import { SYSTEM, type EventDraft } from "../../core/task/event.ts";
import { utcMinute, type Schedule, type ScheduleProgress } from "../../core/schedule/schedule.ts";
import type { Task } from "../../core/task/task.ts";
import type { Project } from "../../ports/store.ts";

/** No more of them are counted. */
export const MAX_MISSED = 400;

export interface ScheduledTime {
  readonly project: Project;
  readonly schedule: Schedule;
  readonly at: number;
}

export interface DueSchedule extends ScheduledTime {
  readonly progress: ScheduleProgress;
  /** Every moment that nothing was started for, the newest last. */
  readonly due: readonly number[];
  readonly now: number;
}

export function refused({ project, schedule: { name }, now }: DueSchedule, why: string): EventDraft {
  return {
    ...about(now),
    type: "schedule.refused",
    level: "error",
    summary: `"${name}" of ${project.name} could not be started: ${why}`,
    data: { schedule: name, project: project.name },
  };
}

export function skipped({ schedule: { name }, at, now }: DueSchedule, running: Task): EventDraft {
  return {
    ...about(now),
    task: running.id,
    type: "schedule.skipped",
    level: "warning",
    summary: `"${name}" of ${utcMinute(at)} was left out: ${running.id} has not ended (${running.status})`,
    data: { schedule: name, moment: at },
  };
}

export function missed({ schedule: { name }, due, now }: DueSchedule, task: Task): EventDraft {
  const [first = now] = due;
  const times = `${due.length === MAX_MISSED ? "at least " : ""}${due.length} times`;
  const which = due.length === 1 ? utcMinute(first) : `${times} since ${utcMinute(first)}`;
  return {
    ...about(now),
    task: task.id,
    type: "schedule.missed",
    level: "warning",
    summary: `"${name}" should have run ${which}, but Nightshift was not running; it runs now, once`,
    data: { schedule: name, missed: due },
  };
}

function about(at: number) {
  return { at, task: null, run: null, actor: SYSTEM } as const;
}
