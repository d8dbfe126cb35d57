import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Task } from "../../src/core/task.ts";
import { createKnownSecrets } from "../../src/daemon/known-secrets.ts";
import { wire, type Wired } from "../../src/daemon/wire.ts";
import { createCommands } from "../../src/engine/commands.ts";
import type { EnginePorts } from "../../src/engine/ports.ts";
import { startDue } from "../../src/engine/schedules.ts";
import { listUpcoming } from "../../src/engine/upcoming.ts";
import { createTempRepo, type TempRepo } from "../../src/testing/temp-repo.ts";
import { ALICE } from "./night.ts";

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The real store, files and cron with a clock that is set by hand; nothing is carried out. */
interface Calendar {
  readonly ports: EnginePorts;
  readonly repo: TempRepo;
  now: number;
  tick(): Promise<void>;
  configure(settings: string): Promise<void>;
  tasks(): Promise<readonly Task[]>;
  /** Whatever was started is over. */
  endAll(): Promise<void>;
  events(type: string): Promise<readonly string[]>;
  /** As a daemon that was killed and started again. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

let calendar: Calendar;

async function openCalendar(start: string, settings: string): Promise<Calendar> {
  const repo = await createTempRepo();
  const home = join(repo.path, "home");
  await mkdir(home, { mode: 0o700 });
  const file = join(repo.checkout, "nightshift.yaml");
  const open = (): Promise<Wired> => {
    const env = { ...process.env, NIGHTSHIFT_HOME: home };
    return wire({
      home,
      env,
      log: SILENT,
      secrets: createKnownSecrets(env),
      pass: () => undefined,
      write: () => undefined,
    });
  };
  let wired = await open();
  let ports = withClock(wired);
  function withClock({ ports: real }: Wired): EnginePorts {
    return { ...real, clock: { ...real.clock, now: () => calendar.now } };
  }
  const configure = async (text: string): Promise<void> => {
    await writeFile(file, `project: shop\nagent: scripted\n${text}`);
    const place = { name: "shop", path: repo.checkout, remote: repo.remote, defaultBranch: "main" };
    const { wanted } = await wired.projectFiles.pendingTrust(place, "");
    await createCommands(ports).registerProject({ ...place, accepted: wanted }, ALICE);
  };
  calendar = {
    get ports() {
      return ports;
    },
    repo,
    now: Date.parse(start),
    tick: () => startDue(ports),
    configure,
    tasks: async () =>
      (await ports.store.listTasks({ status: null, state: null, project: null, cursor: null, limit: 1000 })).rows,
    endAll: async () => {
      for (const task of await calendar.tasks())
        if (task.finishedAt === null) await createCommands(ports).kill(task.id, ALICE);
    },
    events: async (type) =>
      (await ports.store.listEvents({ after: 0, task: null, limit: 1000 }))
        .filter((event) => event.type === type)
        .map(({ summary }) => summary),
    restart: async () => {
      await wired.ports.store.close();
      wired = await open();
      ports = withClock(wired);
    },
    close: async () => {
      await wired.ports.store.close();
      await repo.remove();
    },
  };
  await configure(settings);
  return calendar;
}

afterEach(async () => {
  await calendar.close();
});

const weekdays =
  "categories: { monday: [tests], tuesday: [refactoring], wednesday: [docs], thursday: [security], friday: [performance] }";
const nightly = (timeZone: string, schedule = "0 2 * * 1-5", more = ""): string =>
  `time_zone: ${timeZone}\nimprove: { schedule: "${schedule}", ${weekdays}${more} }\n`;

const localDay = (timeZone: string, at: number): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone, weekday: "short", month: "2-digit", day: "2-digit" }).format(at);

describe("from 1 February to 31 March", () => {
  // The clocks of Paris are put forward on 28 March 2027, those of New York on 14 March.
  it.each(["Europe/Paris", "America/New_York"])(
    "there is exactly one run for each scheduled night in %s",
    async (timeZone) => {
      await openCalendar("2027-01-31T22:00:00Z", nightly(timeZone, "0 2 * * *"));
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

describe("a schedule", () => {
  it("takes the category of its own day, however late it is", async () => {
    // 23:50 on a Monday in New York, when it is Tuesday in UTC already.
    await openCalendar("2026-11-17T04:49:00Z", nightly("America/New_York", "50 23 * * *"));
    await calendar.tick();
    calendar.now += 20 * 60_000;
    await calendar.tick();
    const [task] = await calendar.tasks();
    expect(task?.items).toMatchObject({
      list: ["tests", "refactoring", "docs", "security", "performance"],
      scheduled: 1,
    });
  });

  it("starts nothing of the time before it was there", async () => {
    await openCalendar("2026-11-17T12:00:00Z", nightly("UTC"));
    await calendar.tick();
    expect(await calendar.tasks()).toEqual([]);
  });

  it("runs once for all the nights that were missed, and says so", async () => {
    await openCalendar("2026-11-16T12:00:00Z", nightly("UTC"));
    await calendar.tick();
    calendar.now += 3 * DAY;
    await calendar.restart();
    await calendar.tick();
    await calendar.tick();
    const tasks = await calendar.tasks();
    expect(tasks).toHaveLength(1);
    // Of the night that was the last one, which is Thursday's.
    expect(tasks[0]?.items?.list[0]).toBe("security");
    expect(await calendar.events("schedule.missed")).toEqual([
      expect.stringContaining('"improve" should have run 3 times since 2026-11-17 02:00 UTC'),
    ]);
  });

  it("makes one task for a moment, whatever dies in between", async () => {
    await openCalendar("2026-11-16T12:00:00Z", nightly("UTC"));
    await calendar.tick();
    calendar.now = Date.parse("2026-11-17T02:00:30Z");
    const { saveMark } = calendar.ports.store;
    const dying = {
      ...calendar.ports,
      store: { ...calendar.ports.store, saveMark: () => Promise.reject(new Error("killed")) },
    };
    await expect(startDue(dying)).rejects.toThrow("killed");
    expect(saveMark).toBeDefined();
    await calendar.restart();
    await calendar.tick();
    expect(await calendar.tasks()).toHaveLength(1);
  });

  it("leaves a night out while the one before has not ended, and says so", async () => {
    await openCalendar("2026-11-16T12:00:00Z", nightly("UTC"));
    await calendar.tick();
    for (const day of ["2026-11-17", "2026-11-18"]) {
      calendar.now = Date.parse(`${day}T02:00:10Z`);
      await calendar.tick();
    }
    expect(await calendar.tasks()).toHaveLength(1);
    expect(await calendar.events("schedule.skipped")).toEqual([expect.stringContaining("has not ended")]);
  });

  it("is put off by the same time again and again, never beyond its jitter", async () => {
    await openCalendar("2026-11-16T12:00:00Z", nightly("UTC", "0 2 * * *", ", jitter: 1h"));
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

  it("goes by what its file said last when the file is broken now", async () => {
    await openCalendar("2026-11-16T12:00:00Z", nightly("UTC"));
    await calendar.tick();
    await writeFile(join(calendar.repo.checkout, "nightshift.yaml"), "project: [broken\n");
    calendar.now = Date.parse("2026-11-17T02:00:10Z");
    await calendar.tick();
    expect(await calendar.tasks()).toHaveLength(1);
  });

  it("begins anew when it is changed", async () => {
    await openCalendar("2026-11-16T12:00:00Z", nightly("UTC"));
    await calendar.tick();
    calendar.now = Date.parse("2026-11-18T12:00:00Z");
    await calendar.configure(nightly("UTC", "0 3 * * *"));
    await calendar.tick();
    expect(await calendar.tasks()).toEqual([]);
    calendar.now = Date.parse("2026-11-19T03:00:00Z");
    await calendar.tick();
    expect(await calendar.tasks()).toHaveLength(1);
  });

  it("shows the coming week, day by day, with its categories", async () => {
    await openCalendar("2026-11-16T12:00:00Z", nightly("Europe/Paris"));
    const { runs } = await listUpcoming(calendar.ports, null, calendar.now + 7 * DAY);
    expect(runs.map(({ at, categories }) => [new Date(at ?? 0).toISOString(), categories])).toEqual([
      ["2026-11-17T01:00:00.000Z", ["refactoring"]],
      ["2026-11-18T01:00:00.000Z", ["docs"]],
      ["2026-11-19T01:00:00.000Z", ["security"]],
      ["2026-11-20T01:00:00.000Z", ["performance"]],
      ["2026-11-23T01:00:00.000Z", ["tests"]],
    ]);
  });

  it("may be any other work", async () => {
    await openCalendar(
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
