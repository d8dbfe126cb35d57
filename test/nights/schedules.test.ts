import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { startDueSchedules } from "../../src/engine/schedule/schedules.ts";
import { listUpcoming } from "../../src/engine/schedule/upcoming.ts";
import { DAY, HOUR, nightly, openCalendar, type Calendar } from "../support/calendar.ts";

let calendar: Calendar;

afterEach(async () => {
  await calendar.close();
});

const localDay = (timeZone: string, at: number): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone, weekday: "short", month: "2-digit", day: "2-digit" }).format(at);

describe("schedule from 1 February to 31 March", () => {
  // Daylight saving time starts on 28 March 2027 in Paris and on 14 March in New York.
  it.each(["Europe/Paris", "America/New_York"])(
    "starts exactly one run per scheduled night in %s",
    async (timeZone) => {
      calendar = await openCalendar("2027-01-31T22:00:00Z", nightly(timeZone, "0 2 * * *"));
      const end = Date.parse("2027-03-31T22:00:00Z");
      const nights = new Map<string, number>();
      for (; calendar.now < end; calendar.now += HOUR) {
        const before = (await calendar.tasks()).length;
        await calendar.tick();
        const started = (await calendar.tasks()).length - before;
        if (started > 0) nights.set(localDay(timeZone, calendar.now), started);
        await calendar.endAll();
      }
      expect([...nights.values()].every((count) => count === 1)).toBe(true);
      expect(nights.size).toBe(59);
      expect(await calendar.events("schedule.missed")).toEqual([]);
    },
    240_000,
  );
});

describe("schedule", () => {
  it("uses the category of its own day, even if it starts late", async () => {
    // 23:50 on a Monday in New York, which is already Tuesday in UTC.
    calendar = await openCalendar("2026-11-17T04:49:00Z", nightly("America/New_York", "50 23 * * *"));
    await calendar.tick();
    calendar.now += 20 * 60_000;
    await calendar.tick();
    const [task] = await calendar.tasks();
    expect(task?.items).toMatchObject({
      list: ["tests", "refactoring", "docs", "security", "performance"],
      scheduled: 1,
    });
  });

  it("does not start runs from before it was created", async () => {
    calendar = await openCalendar("2026-11-17T12:00:00Z", nightly("UTC"));
    await calendar.tick();
    expect(await calendar.tasks()).toEqual([]);
  });

  it("runs once for all missed nights and reports it", async () => {
    calendar = await openCalendar("2026-11-16T12:00:00Z", nightly("UTC"));
    await calendar.tick();
    calendar.now += 3 * DAY;
    await calendar.restart();
    await calendar.tick();
    await calendar.tick();
    const tasks = await calendar.tasks();
    expect(tasks).toHaveLength(1);
    // It belongs to the last missed night, which is Thursday's.
    expect(tasks[0]?.items?.list[0]).toBe("security");
    expect(await calendar.events("schedule.missed")).toEqual([
      expect.stringContaining('"improve" should have run 3 times since 2026-11-17 02:00 UTC'),
    ]);
  });

  it("creates one task per scheduled time, whatever crashes in between", async () => {
    calendar = await openCalendar("2026-11-16T12:00:00Z", nightly("UTC"));
    await calendar.tick();
    calendar.now = Date.parse("2026-11-17T02:00:30Z");
    const dying = {
      ...calendar.ports,
      store: {
        ...calendar.ports.store,
        schedules: { ...calendar.ports.store.schedules, saveProgress: () => Promise.reject(new Error("killed")) },
      },
    };
    await expect(startDueSchedules(dying)).rejects.toThrow("killed");
    await calendar.restart();
    await calendar.tick();
    expect(await calendar.tasks()).toHaveLength(1);
  });

  it("skips a run while the previous one has not ended, and reports it", async () => {
    calendar = await openCalendar("2026-11-16T12:00:00Z", nightly("UTC"));
    await calendar.tick();
    for (const day of ["2026-11-17", "2026-11-18"]) {
      calendar.now = Date.parse(`${day}T02:00:10Z`);
      await calendar.tick();
    }
    expect(await calendar.tasks()).toHaveLength(1);
    expect(await calendar.events("schedule.skipped")).toEqual([expect.stringContaining("has not ended")]);
  });

  it("is always delayed by the same time, never more than its jitter", async () => {
    calendar = await openCalendar("2026-11-16T12:00:00Z", nightly("UTC", "0 2 * * *", ", jitter: 1h"));
    await calendar.tick();
    const { runs } = await listUpcoming(calendar.ports, "shop", calendar.now + 7 * DAY);
    const delays = runs.map(({ at }) => ((at ?? 0) - 2 * HOUR) % DAY);
    expect(delays.every((delay) => delay >= 0 && delay < HOUR)).toBe(true);
    expect(new Set(delays).size).toBeGreaterThan(1);
    const [first] = runs;
    calendar.now = (first?.at ?? 0) - 1_000;
    await calendar.tick();
    expect(await calendar.tasks()).toEqual([]);
    calendar.now += 1_000;
    await calendar.tick();
    expect(await calendar.tasks()).toHaveLength(1);
  });

  it("uses the last valid file while the file is invalid", async () => {
    calendar = await openCalendar("2026-11-16T12:00:00Z", nightly("UTC"));
    await calendar.tick();
    await writeFile(join(calendar.repo.checkout, "nightshift.yaml"), "project: [broken\n");
    calendar.now = Date.parse("2026-11-17T02:00:10Z");
    await calendar.tick();
    expect(await calendar.tasks()).toHaveLength(1);
  });

  it("starts again when it is changed", async () => {
    calendar = await openCalendar("2026-11-16T12:00:00Z", nightly("UTC"));
    await calendar.tick();
    calendar.now = Date.parse("2026-11-18T12:00:00Z");
    await calendar.configure(nightly("UTC", "0 3 * * *"));
    await calendar.tick();
    expect(await calendar.tasks()).toEqual([]);
    calendar.now = Date.parse("2026-11-19T03:00:00Z");
    await calendar.tick();
    expect(await calendar.tasks()).toHaveLength(1);
  });

  it("shows the upcoming week by day with its categories", async () => {
    calendar = await openCalendar("2026-11-16T12:00:00Z", nightly("Europe/Paris"));
    const { runs } = await listUpcoming(calendar.ports, null, calendar.now + 7 * DAY);
    expect(runs.map(({ at, categories }) => [new Date(at ?? 0).toISOString(), categories])).toEqual([
      ["2026-11-17T01:00:00.000Z", ["refactoring"]],
      ["2026-11-18T01:00:00.000Z", ["docs"]],
      ["2026-11-19T01:00:00.000Z", ["security"]],
      ["2026-11-20T01:00:00.000Z", ["performance"]],
      ["2026-11-23T01:00:00.000Z", ["tests"]],
    ]);
  });

  it("can run any pipeline", async () => {
    calendar = await openCalendar(
      "2026-11-16T12:00:00Z",
      'time_zone: UTC\nschedules:\n  - { name: audit, cron: "0 3 * * *", pipeline: chore, title: Audit dependencies, description: Look at each. }\n',
    );
    await calendar.tick();
    calendar.now = Date.parse("2026-11-17T03:00:00Z");
    await calendar.tick();
    expect(await calendar.tasks()).toMatchObject([
      { title: "Audit dependencies", description: "Look at each.", pipeline: "chore" },
    ]);
  });
});
