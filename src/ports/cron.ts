/** Computes when a schedule is due: five cron fields in a time zone, including daylight saving. */
export interface Cron {
  /** The first due time after `after`. Null if there is none. */
  next(schedule: CronSchedule, after: number): number | null;
  /** The first `limit` due times later than `after` and not later than `until`, oldest first. */
  between(schedule: CronSchedule, after: number, until: number, limit: number): readonly number[];
  /** The newest `limit` due times of the same range, oldest first. */
  latest(schedule: CronSchedule, after: number, until: number, limit: number): readonly number[];
}

export interface CronSchedule {
  readonly expression: string;
  readonly timeZone: string;
}
