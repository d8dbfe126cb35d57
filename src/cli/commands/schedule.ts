import { randomUUID } from "node:crypto";
import { escapedLine } from "../../core/text/terminal-text.ts";
import type { SchedulesJson } from "../../http/client/client.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { findProjectName, requireKnownProject } from "../project/find-project.ts";
import { paint } from "../print/terminal/style.ts";
import { table, type Column } from "../print/terminal/table.ts";
import { describeTime } from "../print/terminal/time.ts";
import { reportTask } from "../wait/wait-for-task.ts";

const COLUMNS: readonly Column[] = [
  { heading: "WHEN" },
  { heading: "PROJECT", min: 8, drop: 1 },
  { heading: "SCHEDULE", min: 12, drop: 2 },
  { heading: "WHAT", min: 20 },
];

export async function listSchedule(context: CliContext, { days }: { readonly days: number }): Promise<void> {
  const client = await connect(context);
  const upcoming = await client.call("GET /schedules", { query: { project: context.project ?? undefined, days } });
  if (upcoming.runs.length === 0) await requireKnownProject(context, client);
  printResult(context, upcoming, () => printSchedule(context, upcoming, days));
}

export async function runSchedule(
  context: CliContext,
  name: string,
  { wait }: { readonly wait?: boolean },
): Promise<void> {
  const client = await connect(context);
  const project = await findProjectName(context, client);
  const task = await client.call("POST /schedules/:name/run", {
    params: { name },
    body: { project },
    idempotencyKey: randomUUID(),
  });
  await reportTask(context, client, task, { wait, since: null });
}

/** Lists the upcoming runs, each in the time zone of its schedule. */
function printSchedule(context: CliContext, { runs, problems }: SchedulesJson, days: number): string {
  const errors = problems
    .map((problem) => `${paint(context, "red", "Cannot read schedule")}: ${escapedLine(problem)}\n`)
    .join("");
  if (runs.length === 0)
    return `${errors}Nothing is scheduled. Set improve.schedule or schedules in nightshift.yaml.\n`;
  const rows = runs.map((run) => [
    run.at === null ? `not within ${days} days (${run.cron})` : describeTime(run.at, { timeZone: run.time_zone }),
    run.project,
    run.name,
    describeWork(run),
  ]);
  return errors + table(context, COLUMNS, rows);
}

function describeWork({ pipeline, title, categories }: SchedulesJson["runs"][number]): string {
  if (categories === null) return `${pipeline}: ${title}`;
  return categories.length === 0 ? "nothing: no category for this day" : `improve ${categories.join(", ")}`;
}
