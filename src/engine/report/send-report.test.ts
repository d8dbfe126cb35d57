import { afterEach, beforeEach, expect, test } from "vitest";
import { messageOf } from "../../core/notices/notice-message.ts";
import { openEngineWorld, type EngineWorld } from "../../testing/engine/engine-world.ts";
import { createFakeClock, type FakeClock } from "../../testing/fake-clock.ts";
import { sendReport } from "./send-report.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;
const MINUTE = 60_000;
const DELIVERY = { at: "07:00", timeZone: "UTC", channels: ["terminal", "ntfy"] };

let world: EngineWorld;
let clock: FakeClock;
let seven: number;

beforeEach(async () => {
  // The project was registered today, by the clock of the machine.
  seven = Math.floor(Date.now() / DAY) * DAY + 2 * DAY + 7 * HOUR;
  clock = createFakeClock(seven - HOUR);
  world = await openEngineWorld({
    script: () => ({}),
    over: ({ channels }) => ({
      clock,
      channels: {
        ...channels,
        readReport: async () => DELIVERY,
      },
    }),
  });
});

afterEach(async () => {
  await world.close();
});

async function sentReports() {
  const events = await world.ports.store.events.listEvents({ after: 0, task: null, limit: 100 });
  return events.filter(({ type }) => type === "report.sent");
}

test("report: is sent once a day at its time, to every channel", async () => {
  await sendReport(world.ports);
  expect(await sentReports()).toEqual([]);
  await clock.advance(HOUR);
  await sendReport(world.ports);
  await clock.advance(2 * HOUR);
  await sendReport(world.ports);
  const night = new Date(seven - DAY).toISOString().slice(0, 10);
  expect(await sentReports()).toMatchObject([{ at: seven, data: { night } }]);
  const notices = await world.ports.store.outbox.dueNotices(clock.now(), 10);
  expect(notices.map(({ channel, kind, project, task }) => ({ channel, kind, project, task }))).toEqual([
    { channel: "terminal", kind: "report", project: "", task: null },
    { channel: "ntfy", kind: "report", project: "", task: null },
  ]);
  await clock.advance(DAY);
  await sendReport(world.ports);
  expect(await sentReports()).toHaveLength(2);
});

test("report: is sent once for a night, even if its time is changed afterwards", async () => {
  await clock.advance(HOUR);
  await sendReport(world.ports);
  await clock.advance(2 * HOUR);
  const channels = { ...world.ports.channels, readReport: async () => ({ ...DELIVERY, at: "08:30" }) };
  await sendReport({ ...world.ports, channels });
  expect(await sentReports()).toHaveLength(1);
});

test("report: contains what is queued, although time passes while it is written", async () => {
  await world.submit({ pipeline: "chore", description: "Wave at people" });
  await clock.advance(HOUR);
  let passed = 0;
  await sendReport({ ...world.ports, clock: { ...clock, now: () => clock.now() + passed++ } });
  expect(await sentReports()).toMatchObject([{ summary: expect.stringContaining("0 of 1 task is done") }]);
});

test("report: fits on a phone and says what waits", async () => {
  const task = await world.submit({ pipeline: "chore", description: "Greet people" });
  await world.commands.kill(task.id, { kind: "person", name: "ada", rights: ["admin"] });
  await world.submit({ pipeline: "chore", description: "Wave at people" });
  await clock.advance(HOUR);
  await sendReport(world.ports);
  const [notice] = await world.ports.store.outbox
    .dueNotices(clock.now(), 10)
    .then((all) => all.filter(({ kind }) => kind === "report"));
  expect(notice && messageOf(notice)).toEqual({
    title: "report of the night – The shift is running. 1 of 2 tasks are done.",
    lines: ["No task waits for you.", "$0.00, 0 runs", "→ nightshift report"],
  });
});

test("report: a machine that slept sends it later, but not in the evening", async () => {
  await clock.advance(HOUR + 11 * HOUR);
  await sendReport(world.ports);
  expect(await sentReports()).toHaveLength(1);
  await clock.advance(DAY + 2 * HOUR);
  await sendReport(world.ports);
  expect(await sentReports()).toHaveLength(1);
});

test("report: is not sent for a time before the first project was registered", async () => {
  const [project] = await world.ports.store.projects.listProjects();
  const registered = project?.acceptedAt ?? 0;
  const sendAt = (minutes: number) => {
    const at = new Date(registered + minutes * MINUTE).toISOString().slice(11, 16);
    const readReport = async () => ({ at, timeZone: "UTC", channels: ["terminal"] });
    const channels = { ...world.ports.channels, readReport };
    return sendReport({ ...world.ports, channels, clock: createFakeClock(registered + 5 * MINUTE) });
  };
  await sendAt(-2);
  expect(await sentReports()).toEqual([]);
  await sendAt(2);
  expect(await sentReports()).toHaveLength(1);
});

const readParisReport = async () => ({ at: "02:30", timeZone: "Europe/Paris", channels: ["terminal"] });

test.each([
  ["in spring, when its time does not exist", Date.UTC(2027, 2, 26, 12)],
  ["in autumn, when its time exists twice", Date.UTC(2027, 9, 29, 12)],
])("report: is sent once a night %s", async (_, start) => {
  const channels = { ...world.ports.channels, readReport: readParisReport };
  for (let at = start; at < start + 3 * DAY; at += HOUR / 2)
    await sendReport({ ...world.ports, channels, clock: createFakeClock(at) });
  const nights = (await sentReports()).map(({ data }) => data["night"]);
  const first = new Date(start).toISOString().slice(0, 10);
  // At the start, the report of the night before is due.
  expect(nights).toEqual(
    [-1, 0, 1, 2].map((days) => new Date(Date.parse(first) + days * DAY).toISOString().slice(0, 10)),
  );
});
