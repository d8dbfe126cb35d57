import { describe, expect, it } from "vitest";
import { createCron } from "./croner.ts";

const cron = createCron();
const at = (text: string) => Date.parse(text);
const DAY = 86_400_000;
const iso = (moments: readonly number[]) => moments.map((moment) => new Date(moment).toISOString());

describe("cron", () => {
  it("is due in its own time zone", () => {
    const schedule = { expression: "0 2 * * 1-5", timeZone: "Europe/Paris" };
    // A Friday evening: the next working night is Monday.
    expect(iso([cron.next(schedule, at("2026-11-13T20:00:00Z")) ?? 0])).toEqual(["2026-11-16T01:00:00.000Z"]);
  });

  it.each([
    // In Paris, 02:30 does not exist on 28 March 2027, and occurs twice on 31 October.
    ["Europe/Paris", "2027-03-27T00:00:00Z", "2027-03-30T00:00:00Z", 3],
    ["Europe/Paris", "2027-10-30T00:00:00Z", "2027-11-02T00:00:00Z", 3],
    ["America/New_York", "2027-03-13T05:00:00Z", "2027-03-16T05:00:00Z", 3],
    ["America/New_York", "2027-11-06T04:00:00Z", "2027-11-09T05:00:00Z", 3],
  ])("is due once per night in %s from %s on", (timeZone, from, until, nights) => {
    const moments = cron.between({ expression: "30 2 * * *", timeZone }, at(from), at(until), 100);
    expect(moments).toHaveLength(nights);
    expect(cron.latest({ expression: "30 2 * * *", timeZone }, at(from), at(until), 100)).toEqual(moments);
  });

  it("excludes the start and includes the end of a range", () => {
    const schedule = { expression: "0 0 * * *", timeZone: "UTC" };
    const from = at("2026-11-16T00:00:00Z");
    expect(cron.between(schedule, from, from + 2 * DAY, 100)).toEqual([from + DAY, from + 2 * DAY]);
    expect(cron.latest(schedule, from, from + 2 * DAY, 100)).toEqual([from + DAY, from + 2 * DAY]);
    expect(cron.latest(schedule, from, from + DAY + 1, 100)).toEqual([from + DAY]);
    expect(cron.latest(schedule, from, from + DAY - 1, 100)).toEqual([]);
  });

  it("returns the first or the newest times up to a limit, without computing the others", () => {
    const schedule = { expression: "* * * * *", timeZone: "UTC" };
    const until = at("2026-11-16T00:00:00Z");
    // Computing every minute of ten years would exceed the test timeout.
    const from = until - 3_650 * DAY;
    expect(cron.between(schedule, from, until, 2)).toEqual([from + 60_000, from + 120_000]);
    expect(cron.latest(schedule, from, until, 2)).toEqual([until - 60_000, until]);
  });

  it("returns null if it is never due", () => {
    expect(cron.next({ expression: "0 0 30 2 *", timeZone: "UTC" }, 0)).toBeNull();
  });
});
