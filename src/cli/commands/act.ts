import { connect } from "../connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { taskLine } from "../print/task.ts";
import { finishWaiting, waitForTask } from "../wait-for-task.ts";

type TaskAction = "pause" | "resume" | "cancel" | "kill";

export const pause = createTaskAction("pause");
export const resume = createTaskAction("resume");
export const cancel = createTaskAction("cancel");
export const kill = createTaskAction("kill");

function createTaskAction(verb: TaskAction): (context: CliContext, id: string) => Promise<void> {
  return async (context, id) => {
    const client = await connect(context);
    const task = await client.call(`POST /tasks/:id/${verb}`, { params: { id } });
    printResult(context, task, () => taskLine(context, task));
  };
}

export async function retry(
  context: CliContext,
  id: string,
  options: { readonly from?: string; readonly wait?: boolean },
): Promise<void> {
  const client = await connect(context);
  const task = await client.call("POST /tasks/:id/retry", { params: { id }, body: { from: options.from ?? null } });
  if (options.wait === true)
    return finishWaiting(context, await waitForTask(context, client, { id: task.id, since: task.updated_at }));
  printResult(context, task, () => taskLine(context, task));
}

export async function remove(context: CliContext, id: string): Promise<void> {
  const client = await connect(context);
  const task = await client.call("GET /tasks/:id", { params: { id } });
  await client.call("DELETE /tasks/:id", { params: { id: task.id } });
  printResult(context, { deleted: task.id }, () => `Deleted ${task.id}.\n`);
}
