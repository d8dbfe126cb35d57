import { connect } from "../connect.ts";
import { answer, type CliContext } from "../context.ts";
import { taskLine } from "../print/task.ts";
import { finishWaiting, waitForTask } from "../wait-for-task.ts";

type Act = "pause" | "resume" | "cancel" | "kill";

export const pause = acting("pause");
export const resume = acting("resume");
export const cancel = acting("cancel");
export const kill = acting("kill");

function acting(verb: Act): (context: CliContext, id: string) => Promise<void> {
  return async (context, id) => {
    const client = await connect(context);
    const task = await client.call(`POST /tasks/:id/${verb}`, { params: { id } });
    answer(context, task, () => taskLine(context, task));
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
  answer(context, task, () => taskLine(context, task));
}

export async function remove(context: CliContext, id: string): Promise<void> {
  const client = await connect(context);
  const task = await client.call("GET /tasks/:id", { params: { id } });
  await client.call("DELETE /tasks/:id", { params: { id: task.id } });
  answer(context, { deleted: task.id }, () => `deleted ${task.id}\n`);
}
