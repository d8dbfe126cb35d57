/** When a schedule comes round: five cron fields in a time zone, daylight saving included. */
export interface Cron {
  /** The first moment after `after`; null when it never comes round again. */
  next(schedule: CronSchedule, after: number): number | null;
  /** The moments later than `after` and not later than `until`, oldest first: the first `limit` of them. */
  between(schedule: CronSchedule, after: number, until: number, limit: number): readonly number[];
  /** The same moments, oldest first: the newest `limit` of them. */
  latest(schedule: CronSchedule, after: number, until: number, limit: number): readonly number[];
}

export interface CronSchedule {
  readonly expression: string;
  readonly timeZone: string;
}
