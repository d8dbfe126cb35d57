import { UserError } from "../../core/text/errors.ts";
import { terminalText } from "../../core/text/terminal-text.ts";
import type { Client } from "../../http/client/client.ts";
import { confirm } from "../ask.ts";
import { connect } from "../connect.ts";
import { answer, type CliContext } from "../context.ts";
import { taskLine } from "../print/task.ts";
import { finishWaiting, waitForTask } from "../wait-for-task.ts";

export async function approve(context: CliContext, id: string, options: { readonly plan?: string }): Promise<void> {
  const client = await connect(context);
  const hash = options.plan ?? (context.interactive ? await showPlan(context, client, id) : null);
  const task = await client.call("POST /tasks/:id/approve", { params: { id }, body: { plan_hash: hash } });
  answer(context, task, () => taskLine(context, task));
}

/** The hash of the plan that was just read on this terminal and agreed to. */
async function showPlan(context: CliContext, client: Client, id: string): Promise<string | null> {
  const task = await client.call("GET /tasks/:id", { params: { id } });
  if (task.plan_hash === null || task.waiting_for?.kind !== "approval") return null;
  context.tell(`${terminalText(JSON.stringify(task.plan, null, 2))}\n`);
  if (await confirm("Approve this plan?")) return task.plan_hash;
  throw new UserError(
    "invalid",
    "nothing was approved",
    `nightshift revise ${task.id} sends the plan back, nightshift reject ${task.id} ends it`,
  );
}

export async function reject(context: CliContext, id: string, reason: string | undefined): Promise<void> {
  const client = await connect(context);
  const task = await client.call("POST /tasks/:id/reject", { params: { id }, body: { reason: reason ?? null } });
  answer(context, task, () => taskLine(context, task));
}

export async function revise(context: CliContext, id: string, feedback: string): Promise<void> {
  const client = await connect(context);
  const task = await client.call("POST /tasks/:id/revise", { params: { id }, body: { feedback } });
  answer(context, task, () => taskLine(context, task));
}

export async function answerQuestions(
  context: CliContext,
  id: string,
  given: readonly string[],
  options: { readonly wait?: boolean },
): Promise<void> {
  const answers = Object.fromEntries(given.map(readAnswer));
  const client = await connect(context);
  const task = await client.call("POST /tasks/:id/answer", { params: { id }, body: { answers } });
  if (options.wait === true)
    return finishWaiting(context, await waitForTask(context, client, { id: task.id, since: task.updated_at }));
  answer(context, task, () => taskLine(context, task));
}

export async function choose(
  context: CliContext,
  id: string,
  option: string,
  options: { readonly note?: string },
): Promise<void> {
  const client = await connect(context);
  const task = await client.call("POST /tasks/:id/choose", {
    params: { id },
    body: { option, note: options.note ?? null },
  });
  answer(context, task, () => taskLine(context, task));
}

function readAnswer(given: string): [string, string] {
  const at = given.indexOf("=");
  if (at <= 0)
    throw new UserError("invalid", `"${given}" is no answer`, "write <question>=<answer>, one for each question");
  return [given.slice(0, at), given.slice(at + 1)];
}
