import { terminalLine } from "../../core/text/terminal-text.ts";
import type { SchedulesJson } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";
import { paint } from "./style.ts";
import { table } from "./table.ts";

const MAX_TITLE = 50;

/** Lists the upcoming runs, each in the time zone of its schedule. */
export function printSchedule(context: CliContext, { runs, problems }: SchedulesJson, days: number): string {
  const errors = problems.map((problem) => `${paint(context, "red", "Cannot read schedule")}: ${problem}\n`).join("");
  if (runs.length === 0)
    return `${errors}Nothing is scheduled. Set improve.schedule or schedules in nightshift.yaml.\n`;
  const rows = runs.map((run) => [
    run.at === null ? `not within ${days} days (${run.cron})` : localTime(run.at, run.time_zone),
    run.project,
    run.name,
    describeWork(run),
  ]);
  return errors + table(["WHEN", "PROJECT", "SCHEDULE", "WHAT"], rows);
}

function describeWork({ pipeline, title, categories }: SchedulesJson["runs"][number]): string {
  if (categories === null) return `${pipeline}: ${terminalLine(title, MAX_TITLE)}`;
  return categories.length === 0 ? "nothing: no category for this day" : `improve ${categories.join(", ")}`;
}

function localTime(at: string, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    day: "2-digit",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  }).format(new Date(at));
  return `${parts} ${timeZone}`;
}
