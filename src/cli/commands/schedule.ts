import { randomUUID } from "node:crypto";
import { connect } from "../connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { findProjectName } from "../find-project.ts";
import { printSchedule } from "../print/schedule.ts";
import { taskLine } from "../print/task.ts";
import { finishWaiting, waitForTask } from "../wait-for-task.ts";

export async function listSchedule(context: CliContext, { days }: { readonly days: number }): Promise<void> {
  const client = await connect(context);
  const project = context.project === null ? {} : { project: context.project };
  const upcoming = await client.call("GET /schedules", { query: { ...project, days } });
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
  if (wait !== true) return printResult(context, task, () => taskLine(context, task));
  context.progress(taskLine(context, task));
  await finishWaiting(context, await waitForTask(context, client, { id: task.id, since: null }));
}
