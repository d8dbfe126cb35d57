import { terminalLine } from "../../core/text/terminal-text.ts";
import type { SchedulesJson } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";
import { paint } from "./style.ts";
import { table } from "./table.ts";

const MAX_TITLE = 50;

/** The coming runs, in the time of the place they are planned for. */
export function printSchedule(context: CliContext, { runs, problems }: SchedulesJson, days: number): string {
  const told = problems.map((problem) => `${paint(context, "red", "cannot be read")}: ${problem}\n`).join("");
  if (runs.length === 0)
    return `${told}nothing is scheduled; improve.schedule or schedules in nightshift.yaml say what runs when\n`;
  const rows = runs.map((run) => [
    run.at === null ? `not within ${days} days (${run.cron})` : localTime(run.at, run.time_zone),
    run.project,
    run.name,
    whatIsDone(run),
  ]);
  return told + table(["WHEN", "PROJECT", "SCHEDULE", "WHAT"], rows);
}

function whatIsDone({ pipeline, title, categories }: SchedulesJson["runs"][number]): string {
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
