import { costWords } from "../../core/notices/notice-message.ts";
import { ALL_PROJECTS, describeReport } from "../../core/notices/notice.ts";
import { currentNight } from "../../core/report/report-period.ts";
import type { Report } from "../../core/report/report.ts";
import { createCalendar } from "../../core/schedule/calendar.ts";
import { newEvent } from "../../core/task/event.ts";
import type { NewNotice } from "../../ports/store.ts";
import type { EnginePorts, ReportDelivery } from "../ports.ts";
import { readReport } from "./read-report.ts";

type SendPorts = Pick<EnginePorts, "store" | "projects" | "clock" | "cron" | "channels" | "secrets">;

/** A machine that slept sends the report later, but not in the next evening. */
const MAX_DELAY_MS = 12 * 3_600_000;

/** Sends the report of a night to the user's channels, exactly once. Safe to call at any time, also after a crash. */
export async function sendReport(ports: SendPorts): Promise<void> {
  const now = ports.clock.now();
  const delivery = await ports.channels.readReport();
  const due = await findDue(ports, delivery, now);
  if (due === null) return;
  const { timeZone } = delivery;
  const { since } = currentNight(due, timeZone);
  const night = createCalendar(timeZone).dayOf(since);
  if (await wasSent(ports, since, night)) return;
  const report = await readReport(ports, { night, since, until: now + 1, project: null, timeZone, now });
  const event = newEvent({
    at: now,
    type: "report.sent",
    summary: `report of the night of ${night}: ${report.verdict.fact}`,
    data: { night },
  });
  const notices = await makeNotices(ports, report, delivery);
  await ports.store.events.appendWithNotices({ events: [event], notices: ports.secrets.redact(notices) });
}

/** The time at which the newest report was due. Null if that is too long ago, or before the first project was registered. */
async function findDue(
  { store, cron }: SendPorts,
  { at, timeZone }: ReportDelivery,
  now: number,
): Promise<number | null> {
  const [hour, minute] = at.split(":").map(Number);
  const [due] = cron.latest({ expression: `${minute} ${hour} * * *`, timeZone }, now - MAX_DELAY_MS, now, 1);
  if (due === undefined) return null;
  const projects = await store.projects.listProjects();
  return projects.some(({ acceptedAt }) => acceptedAt < due) ? due : null;
}

/** The time of the report may have been changed since, so the night decides. */
async function wasSent({ store }: SendPorts, since: number, night: string): Promise<boolean> {
  // The clock may have been set back since.
  const sent = await store.events.listEventsIn({ since, until: Number.MAX_SAFE_INTEGER }, ["report.sent"]);
  return sent.some(({ data }) => data["night"] === night);
}

async function makeNotices(
  { store, clock }: SendPorts,
  report: Report,
  { channels }: ReportDelivery,
): Promise<readonly NewNotice[]> {
  const { verdict, problems, missed, since, until } = report;
  const { runs, knownUsd, unknownRuns } = await store.money.spent({ since, until, project: null });
  const costUsd = runs > 0 && unknownRuns === runs ? null : knownUsd;
  const lines = [
    verdict.consequence,
    ...problems.slice(0, 1).map(({ text }) => text),
    ...(missed.length === 0 ? [] : [`Not started in time: ${missed.length}`]),
    `${costWords(costUsd)}, ${runs === 1 ? "1 run" : `${runs} runs`}`,
  ];
  const data = describeReport(report.night ?? "", lines, costUsd);
  const notice = { kind: "report", project: ALL_PROJECTS, task: null, title: verdict.fact, data } as const;
  return channels.map((channel) => ({ ...notice, channel, text: lines.join(" "), at: clock.now() }));
}
