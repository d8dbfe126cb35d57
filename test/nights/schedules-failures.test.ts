import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { UserError } from "../../src/core/text/errors.ts";
import { messageOf } from "../../src/core/notices/notice-message.ts";
import { createCommands } from "../../src/engine/commands/commands.ts";
import { draftNightlyTask } from "../../src/engine/commands/draft-task.ts";
import { startDueSchedules } from "../../src/engine/schedule/schedules.ts";
import { listUpcoming } from "../../src/engine/schedule/upcoming.ts";
import { DAY, HOUR, nightly, openCalendar, type Calendar } from "../support/calendar.ts";
import { ALICE } from "../support/night.ts";

const LOGIN_ERROR = "GitLab refused the token; set another as GITLAB_TOKEN";
let calendar: Calendar;

afterEach(async () => {
  await calendar.close();
});

const failWithFullDisk = () => Promise.reject(new UserError("unavailable", "the disk is full"));

async function tickAt(moment: string): Promise<void> {
  calendar.now = Date.parse(moment);
  await calendar.tick();
}

async function startFirstNight(): Promise<void> {
  calendar = await openCalendar("2026-11-16T12:00:00Z", nightly("UTC"));
  await calendar.tick();
  await tickAt("2026-11-17T02:00:10Z");
  expect(await calendar.tasks()).toHaveLength(1);
}

const submitNight = () =>
  createCommands(calendar.ports).submit(
    { ...draftNightlyTask("shop", { category: "docs", only: false }), title: "By hand", description: "Improve it." },
    ALICE,
  );

describe("schedule: task that waits for a login", () => {
  it("is reported once with what to do, however often it is retried", async () => {
    await startFirstNight();
    await calendar.endRuns("login_expired", LOGIN_ERROR);
    calendar.now += HOUR;
    await calendar.endRuns("login_expired", LOGIN_ERROR);
    expect(await calendar.events("task.queued")).toHaveLength(2);
    const notices = await calendar.notices();
    expect(notices).toMatchObject([{ kind: "waiting", data: { about: "login" } }]);
    expect(notices.map(messageOf)).toEqual([
      {
        title: "shop: waits for a login – refactoring",
        lines: [`login_expired: ${LOGIN_ERROR}`, "→ nightshift doctor"],
      },
    ]);
  });

  it("ends with a reason when the next one is due, and the next one starts", async () => {
    await startFirstNight();
    await calendar.endRuns("login_expired", LOGIN_ERROR);
    await calendar.notices();
    await tickAt("2026-11-18T02:00:10Z");
    const [second, first] = await calendar.tasks();
    expect(first).toMatchObject({
      status: "cancelled",
      reason: expect.stringContaining("it waited for a login since 2026-11-17 02:00 UTC"),
    });
    expect(second).toMatchObject({ status: "queued", items: { at: 0 } });
    expect(second?.items?.list[0]).toBe("docs");
    expect(await calendar.events("schedule.skipped")).toEqual([]);
    // Channels that only subscribe to failures get it too.
    expect(await calendar.notices()).toMatchObject([{ kind: "failed", text: expect.stringContaining(LOGIN_ERROR) }]);
  });

  it("is not ended while it is running", async () => {
    await startFirstNight();
    await calendar.endRuns("login_expired", LOGIN_ERROR);
    await tickAt("2026-11-17T12:00:00Z");
    await calendar.ports.store.tasks.admit({
      total: 9,
      projects: {},
      perProject: 9,
      at: calendar.now,
    });
    const [run] = await calendar.ports.store.tasks.listOpenRuns();
    await calendar.ports.store.tasks.takeRun(run?.id ?? "", calendar.now);
    await tickAt("2026-11-18T02:00:10Z");
    expect(await calendar.tasks()).toHaveLength(1);
    expect(await calendar.events("schedule.skipped")).toHaveLength(1);
  });
});

describe("schedule: skipped run", () => {
  it("is reported", async () => {
    await startFirstNight();
    await tickAt("2026-11-18T02:00:10Z");
    const notices = await calendar.notices();
    expect(notices).toMatchObject([{ kind: "failed", data: { about: "skipped" } }]);
    expect(notices.map(messageOf)).toMatchObject([{ title: expect.stringMatching(/^shop: left out – /) }]);
  });

  it("may be caused by a task that a person started", async () => {
    calendar = await openCalendar("2026-11-16T12:00:00Z", nightly("UTC"));
    await calendar.tick();
    const mine = await submitNight();
    await tickAt("2026-11-17T02:00:10Z");
    expect(await calendar.tasks()).toHaveLength(1);
    expect(await calendar.events("schedule.skipped")).toEqual([expect.stringContaining(mine.id)]);
  });

  it("is not reported every minute for a schedule that runs every minute", async () => {
    const minutely =
      'time_zone: UTC\nschedules:\n  - { name: often, cron: "* * * * *", pipeline: chore, title: Often }\n';
    calendar = await openCalendar("2026-11-16T11:30:00Z", minutely);
    for (let minute = 0; minute < 60; minute += 1) {
      await calendar.tick();
      calendar.now += 60_000;
    }
    expect((await calendar.events("schedule.skipped")).length).toBeGreaterThan(50);
    expect(await calendar.notices()).toMatchObject([{ data: { about: "skipped" } }]);
  });
});

describe("schedule: run that cannot start", () => {
  it("is reported, although it has no task", async () => {
    const unknown =
      'time_zone: UTC\nschedules:\n  - { name: audit, cron: "0 3 * * *", pipeline: nosuch, title: Audit }\n';
    calendar = await openCalendar("2026-11-16T12:00:00Z", unknown);
    await calendar.tick();
    await tickAt("2026-11-17T03:00:00Z");
    expect(await calendar.events("schedule.refused")).toHaveLength(1);
    const notices = await calendar.notices();
    expect(notices).toMatchObject([{ kind: "failed", project: "shop", task: null }]);
    expect(notices.map(messageOf)).toEqual([
      {
        title: "shop: could not be started – Audit",
        lines: [expect.stringContaining('There is no pipeline "nosuch"'), "→ nightshift doctor"],
      },
    ]);
  });

  it("is retried if the problem is temporary", async () => {
    calendar = await openCalendar("2026-11-16T12:00:00Z", nightly("UTC"));
    await calendar.tick();
    calendar.now = Date.parse("2026-11-17T02:00:10Z");
    await expect(
      startDueSchedules({
        ...calendar.ports,
        store: { ...calendar.ports.store, tasks: { ...calendar.ports.store.tasks, createTask: failWithFullDisk } },
      }),
    ).rejects.toThrow("the disk is full");
    expect(await calendar.events("schedule.refused")).toEqual([]);
    await calendar.tick();
    expect(await calendar.tasks()).toHaveLength(1);
  });

  it("does not affect other projects", async () => {
    calendar = await openCalendar("2026-11-16T12:00:00Z", nightly("UTC"));
    await calendar.tick();
    calendar.now = Date.parse("2026-11-17T02:00:10Z");
    const { ports } = calendar;
    const [shop] = await ports.store.projects.listProjects();
    if (shop === undefined) throw new Error("no project");
    const settings: typeof ports.projects.settings = (project) =>
      project.name === "ajar"
        ? Promise.reject(new UserError("unavailable", "not now"))
        : ports.projects.settings(project);
    await expect(
      startDueSchedules({
        ...ports,
        projects: { ...ports.projects, settings },
        store: {
          ...ports.store,
          projects: { ...ports.store.projects, listProjects: async () => [{ ...shop, name: "ajar" }, shop] },
        },
      }),
    ).rejects.toThrow("not now");
    expect(await calendar.tasks()).toHaveLength(1);
  });
});

describe("schedule: progress", () => {
  const OFF = "time_zone: UTC\n";

  it("is removed while the schedule is disabled", async () => {
    await startFirstNight();
    await calendar.endAll();
    await calendar.configure(OFF);
    await calendar.tick();
    calendar.now += 3 * DAY;
    await calendar.configure(nightly("UTC"));
    await calendar.tick();
    expect(await calendar.tasks()).toHaveLength(1);
    expect(await calendar.events("schedule.missed")).toEqual([]);
  });

  it("is removed with its project", async () => {
    await startFirstNight();
    await calendar.endAll();
    await createCommands(calendar.ports).removeProject("shop", ALICE);
    calendar.now += 3 * DAY;
    await calendar.configure(nightly("UTC"));
    await calendar.tick();
    expect(await calendar.tasks()).toHaveLength(1);
    expect(await calendar.events("schedule.missed")).toEqual([]);
  });

  it("is kept while the file is invalid or the folder is missing", async () => {
    await startFirstNight();
    await calendar.endAll();
    const { checkout } = calendar.repo;
    await writeFile(join(checkout, "nightshift.yaml"), "project: [broken\n");
    await tickAt("2026-11-17T12:00:00Z");
    await calendar.configure(nightly("UTC"));
    await calendar.tick();
    await rename(checkout, `${checkout}.away`);
    await tickAt("2026-11-18T02:00:10Z");
    expect(await calendar.tasks()).toHaveLength(2);
    expect(await calendar.events("schedule.missed")).toEqual([]);
    await rename(`${checkout}.away`, checkout);
  });

  it("skips no night if the clock was days ahead", async () => {
    await startFirstNight();
    await calendar.endAll();
    const wrong = Date.parse("2026-11-20T02:00:10Z");
    calendar.now = wrong;
    await calendar.tick();
    calendar.now += HOUR;
    await calendar.endAll();
    await tickAt("2026-11-17T12:00:00Z");
    for (const night of ["2026-11-18", "2026-11-19", "2026-11-20"]) {
      const before = (await calendar.tasks()).length;
      await tickAt(`${night}T02:00:10Z`);
      expect((await calendar.tasks()).length, night).toBe(before + 1);
      calendar.now += HOUR;
      await calendar.endAll();
    }
  });
});

describe("schedule: upcoming runs", () => {
  it("start with the earliest, also if there are more than shown", async () => {
    const minutely =
      'time_zone: UTC\nschedules:\n  - { name: often, cron: "* * * * *", pipeline: chore, title: Often }\n';
    calendar = await openCalendar("2026-11-16T12:00:00Z", minutely);
    const { runs } = await listUpcoming(calendar.ports, "shop", calendar.now + 365 * DAY);
    expect(runs[0]?.at).toBe(calendar.now + 60_000);
    expect(runs.length).toBeLessThanOrEqual(1_000);
  });

  it("are not late because of their jitter", async () => {
    calendar = await openCalendar("2026-11-16T12:00:00Z", nightly("UTC", "0 2 * * *", ", jitter: 23h"));
    await calendar.tick();
    const [first] = (await listUpcoming(calendar.ports, "shop", calendar.now + 7 * DAY)).runs;
    calendar.now = first?.at ?? 0;
    await calendar.tick();
    expect(await calendar.tasks()).toHaveLength(1);
    expect(await calendar.events("schedule.missed")).toEqual([]);
  });

  it("report a missing project folder", async () => {
    calendar = await openCalendar("2026-11-16T12:00:00Z", nightly("UTC"));
    const { checkout } = calendar.repo;
    await calendar.restart();
    await rename(checkout, `${checkout}.away`);
    const { problems } = await listUpcoming(calendar.ports, null, calendar.now + DAY);
    expect(problems).toEqual([expect.stringContaining("the project's folder does not exist")]);
    await rename(`${checkout}.away`, checkout);
  });
});
