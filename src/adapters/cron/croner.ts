import { Cron as Croner } from "croner";
import type { Cron, CronSchedule } from "../../ports/cron.ts";

const SECOND = 1_000;

/** Uses croner: a time skipped in spring is due once, right after the gap; a time repeated in autumn is due once. */
export function createCron(): Cron {
  return {
    next(schedule, after) {
      return parse(schedule).nextRun(new Date(after))?.getTime() ?? null;
    },

    between(schedule, after, until, limit) {
      const cron = parse(schedule);
      const moments: number[] = [];
      for (let at = cron.nextRun(new Date(after)); at !== null && at.getTime() <= until; at = cron.nextRun(at)) {
        if (moments.length >= limit) break;
        moments.push(at.getTime());
      }
      return moments;
    },

    // Searches from the end, because a schedule of every minute has half a million times per year.
    latest(schedule, after, until, limit) {
      const cron = parse(schedule);
      const moments: number[] = [];
      // croner excludes the second it starts from.
      for (let at = previous(cron, until + SECOND); at !== null && at > after; at = previous(cron, at)) {
        if (at <= until) moments.unshift(at);
        if (moments.length >= limit) break;
      }
      return moments;
    },
  };
}

function previous(cron: Croner, before: number): number | null {
  return cron.previousRuns(1, new Date(before))[0]?.getTime() ?? null;
}

function parse({ expression, timeZone }: CronSchedule): Croner {
  return new Croner(expression, { mode: "5-part", paused: true, timezone: timeZone });
}
