import { Cron as Croner } from "croner";
import type { Cron, CronSchedule } from "../../ports/cron.ts";

/** By croner: in the gap of spring a schedule comes once, after it; in the overlap of autumn once, not twice. */
export function createCron(): Cron {
  return {
    next(schedule, after) {
      return parse(schedule).nextRun(new Date(after))?.getTime() ?? null;
    },

    between(schedule, after, until, limit) {
      const cron = parse(schedule);
      const moments: number[] = [];
      for (let at = cron.nextRun(new Date(after)); at !== null && at.getTime() <= until; at = cron.nextRun(at)) {
        moments.push(at.getTime());
        if (moments.length > limit) moments.shift();
      }
      return moments;
    },
  };
}

function parse({ expression, timeZone }: CronSchedule): Croner {
  return new Croner(expression, { mode: "5-part", paused: true, timezone: timeZone });
}
