import type { Category } from "./category.ts";
import { weekdayAt } from "./category.ts";
import type { Settings } from "./settings.ts";

/** Recurring work of a project. `improve` is the nightly improvement's own name. */
export interface Schedule {
  readonly name: string;
  readonly expression: string;
  readonly timeZone: string;
  readonly jitterMs: number;
  readonly pipeline: string;
  readonly title: string;
  readonly description: string;
  readonly autoApprove: boolean;
}

export const NIGHTLY = "improve";

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
            pipeline: "improve",
            title: "Nightly improvement",
            description: "Find, make and verify one small improvement.",
            autoApprove: false,
          },
        ];
  const others = schedules.map(({ cron, ...rest }) => ({ ...rest, expression: cron, timeZone, jitterMs: 0 }));
  return [...nightly, ...others];
}

/** What a night of that moment is about; empty where nothing is scheduled for its day. */
export function categoriesAt(settings: Pick<Settings, "improve" | "timeZone">, at: number): readonly Category[] {
  return settings.improve.categories[weekdayAt(at, settings.timeZone)];
}

/** The same moment is always put off by the same time, so that a restart changes nothing. `digest` gives hex. */
export function jitterOf(
  schedule: Pick<Schedule, "jitterMs" | "name">,
  at: number,
  digest: (text: string) => string,
): number {
  if (schedule.jitterMs === 0) return 0;
  return Number.parseInt(digest(`${schedule.name} ${at}`).slice(0, 8), 16) % schedule.jitterMs;
}

/** True when the schedule is not the one that the mark was made with. */
export function isChanged(mark: ScheduleMark, { expression, timeZone }: Schedule): boolean {
  return mark.expression !== expression || mark.timeZone !== timeZone;
}
