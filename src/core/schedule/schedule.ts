import type { Category } from "../nightly/category.ts";
import { weekdayAt } from "../nightly/category.ts";
import type { Settings } from "../settings/settings.ts";

/** The work of a schedule, independent of its time. */
export interface ScheduledWork {
  readonly pipeline: string;
  readonly title: string;
  readonly description: string;
  readonly autoApprove: boolean;
}

/** Recurring work of a project. The name `improve` is reserved for the nightly improvement. */
export interface Schedule extends ScheduledWork {
  readonly name: string;
  readonly expression: string;
  readonly timeZone: string;
  readonly jitterMs: number;
}

export const NIGHTLY = "improve";

/** The nightly improvement, either scheduled or requested by a person. */
export const NIGHT_WORK: ScheduledWork = {
  pipeline: NIGHTLY,
  title: "Nightly improvement",
  description: "Find, make and verify one small improvement.",
  autoApprove: false,
};

/** The progress of a schedule. */
export interface ScheduleProgress {
  readonly project: string;
  readonly name: string;
  /** The cron expression at that time. A changed schedule starts fresh. */
  readonly expression: string;
  readonly timeZone: string;
  /** All times up to this one are done. */
  readonly at: number;
  /** The task that was created last. */
  readonly task: string | null;
}

export function schedulesOf({ improve, schedules, timeZone }: Settings): readonly Schedule[] {
  const nightly: readonly Schedule[] =
    improve.schedule === null
      ? []
      : [
          {
            name: NIGHTLY,
            expression: improve.schedule,
            timeZone,
            jitterMs: improve.jitterMs,
            ...NIGHT_WORK,
          },
        ];
  const others = schedules.map(({ cron, ...rest }) => ({ ...rest, expression: cron, timeZone, jitterMs: 0 }));
  return [...nightly, ...others];
}

/** Returns the categories for a night at that time. Empty if nothing is scheduled for its day. */
export function categoriesAt(settings: Pick<Settings, "improve" | "timeZone">, at: number): readonly Category[] {
  return settings.improve.categories[weekdayAt(at, settings.timeZone)];
}

export interface JitterParams {
  readonly project: string;
  readonly schedule: Pick<Schedule, "jitterMs" | "name">;
  readonly at: number;
  /** The next scheduled time. Null if there is none. */
  readonly next: number | null;
}

/**
 * Returns a delay that is always the same for the same time, so that a restart changes nothing, and that spreads projects
 * with the same schedule. It never goes beyond the next scheduled time. `digest` returns hex.
 */
export function jitterOf({ project, schedule, at, next }: JitterParams, digest: (text: string) => string): number {
  const most = Math.min(schedule.jitterMs, next === null ? Infinity : next - at);
  if (most <= 0) return 0;
  return Number.parseInt(digest(`${project} ${schedule.name} ${at}`).slice(0, 8), 16) % most;
}

/** True if the schedule changed since the mark was written. */
export function isChanged(mark: ScheduleProgress, { expression, timeZone }: Schedule): boolean {
  return mark.expression !== expression || mark.timeZone !== timeZone;
}

/** Formats a time in UTC, because the reader's time zone is unknown. */
export function utcMinute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
