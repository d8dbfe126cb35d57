import { UserError } from "../../core/text/errors.ts";
import { terminalText } from "../../core/text/terminal-text.ts";
import type { Client } from "../../http/client/client.ts";
import { confirm } from "../ask.ts";
import { connect } from "../connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { taskLine } from "../print/task.ts";
import { finishWaiting, waitForTask } from "../wait-for-task.ts";

export async function approve(context: CliContext, id: string, options: { readonly plan?: string }): Promise<void> {
  const client = await connect(context);
  const hash = options.plan ?? (context.interactive ? await confirmPlan(context, client, id) : null);
  const task = await client.call("POST /tasks/:id/approve", { params: { id }, body: { plan_hash: hash } });
  printResult(context, task, () => taskLine(context, task));
}

/** Shows the plan and asks for approval. Returns the hash of the approved plan, or null if there is no plan to approve. */
async function confirmPlan(context: CliContext, client: Client, id: string): Promise<string | null> {
  const task = await client.call("GET /tasks/:id", { params: { id } });
  if (task.plan_hash === null || task.waiting_for?.kind !== "approval") return null;
  context.progress(`${terminalText(JSON.stringify(task.plan, null, 2))}\n`);
  if (await confirm("Approve this plan?")) return task.plan_hash;
  throw new UserError(
    "invalid",
    "The plan was not approved.",
    `Run "nightshift revise ${task.id} <feedback>" to request a new plan or "nightshift reject ${task.id}" to end the task.`,
  );
}

export async function reject(context: CliContext, id: string, reason: string | undefined): Promise<void> {
  const client = await connect(context);
  const task = await client.call("POST /tasks/:id/reject", { params: { id }, body: { reason: reason ?? null } });
  printResult(context, task, () => taskLine(context, task));
}

export async function revise(context: CliContext, id: string, feedback: string): Promise<void> {
  const client = await connect(context);
  const task = await client.call("POST /tasks/:id/revise", { params: { id }, body: { feedback } });
  printResult(context, task, () => taskLine(context, task));
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
  printResult(context, task, () => taskLine(context, task));
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
  printResult(context, task, () => taskLine(context, task));
}

function readAnswer(given: string): [string, string] {
  const at = given.indexOf("=");
  if (at <= 0)
    throw new UserError(
      "invalid",
      `"${given}" is not a valid answer.`,
      "Write answers as <question>=<answer>, one per question.",
    );
  return [given.slice(0, at), given.slice(at + 1)];
}
