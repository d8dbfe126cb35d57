import type { Category } from "../nightly/category.ts";
import { weekdayAt } from "../nightly/category.ts";
import type { Settings } from "../task/settings.ts";

/** What is done, whenever it is done. */
export interface ScheduledWork {
  readonly pipeline: string;
  readonly title: string;
  readonly description: string;
  readonly autoApprove: boolean;
}

/** Recurring work of a project. `improve` is the nightly improvement's own name. */
export interface Schedule extends ScheduledWork {
  readonly name: string;
  readonly expression: string;
  readonly timeZone: string;
  readonly jitterMs: number;
}

export const NIGHTLY = "improve";

/** The nightly improvement, whether its time has come or a person asks for it. */
export const NIGHT_WORK: ScheduledWork = {
  pipeline: NIGHTLY,
  title: "Nightly improvement",
  description: "Find, make and verify one small improvement.",
  autoApprove: false,
};

/** How far a schedule has been dealt with. */
export interface ScheduleMark {
  readonly project: string;
  readonly name: string;
  /** With which it was: a schedule that was changed begins anew. */
  readonly expression: string;
  readonly timeZone: string;
  /** Every moment up to this one. */
  readonly at: number;
  /** The task that was made last. */
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

/** What a night of that moment is about; empty where nothing is scheduled for its day. */
export function categoriesAt(settings: Pick<Settings, "improve" | "timeZone">, at: number): readonly Category[] {
  return settings.improve.categories[weekdayAt(at, settings.timeZone)];
}

export interface JitterParams {
  readonly project: string;
  readonly schedule: Pick<Schedule, "jitterMs" | "name">;
  readonly at: number;
  /** When it comes round again; null where it does not. */
  readonly next: number | null;
}

/**
 * The same moment is always put off by the same time, so that a restart changes nothing; projects of one hour are spread
 * over it. Never beyond the next moment, which would come first then. `digest` gives hex.
 */
export function jitterOf({ project, schedule, at, next }: JitterParams, digest: (text: string) => string): number {
  const most = Math.min(schedule.jitterMs, next === null ? Infinity : next - at);
  if (most <= 0) return 0;
  return Number.parseInt(digest(`${project} ${schedule.name} ${at}`).slice(0, 8), 16) % most;
}

/** True when the schedule is not the one that the mark was made with. */
export function isChanged(mark: ScheduleMark, { expression, timeZone }: Schedule): boolean {
  return mark.expression !== expression || mark.timeZone !== timeZone;
}

/** A moment as people read it who do not know where the reader is. */
export function utcMinute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
