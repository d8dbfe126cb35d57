import { UserError } from "../../core/text/errors.ts";
import { terminalText } from "../../core/text/terminal-text.ts";
import type { Client, TaskJson } from "../../http/client/client.ts";
import { confirm } from "../ask.ts";
import { connect } from "../connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { reportTask } from "../wait-for-task.ts";

/** Performs an action on a task and prints the changed task. */
async function act(context: CliContext, perform: (client: Client) => Promise<TaskJson>, wait?: boolean): Promise<void> {
  const client = await connect(context);
  const task = await perform(client);
  await reportTask(context, client, task, { wait, since: task.updated_at });
}

export const pause = createSimpleAction("pause");
export const resume = createSimpleAction("resume");
export const cancel = createSimpleAction("cancel");
export const kill = createSimpleAction("kill");

function createSimpleAction(verb: "pause" | "resume" | "cancel" | "kill") {
  return (context: CliContext, id: string) =>
    act(context, (client) => client.call(`POST /tasks/:id/${verb}`, { params: { id } }));
}

export async function retry(
  context: CliContext,
  id: string,
  { from, wait }: { readonly from?: string; readonly wait?: boolean },
): Promise<void> {
  await act(context, (client) => client.call("POST /tasks/:id/retry", { params: { id }, body: { from } }), wait);
}

export async function remove(context: CliContext, id: string): Promise<void> {
  const client = await connect(context);
  const task = await client.call("GET /tasks/:id", { params: { id } });
  await client.call("DELETE /tasks/:id", { params: { id: task.id } });
  printResult(context, { deleted: task.id }, () => `Deleted ${task.id}.\n`);
}

export async function approve(context: CliContext, id: string, options: { readonly plan?: string }): Promise<void> {
  await act(context, async (client) => {
    const plan_hash = options.plan ?? (context.interactive ? await confirmPlan(context, client, id) : null);
    return client.call("POST /tasks/:id/approve", { params: { id }, body: { plan_hash } });
  });
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
  await act(context, (client) => client.call("POST /tasks/:id/reject", { params: { id }, body: { reason } }));
}

export async function revise(context: CliContext, id: string, feedback: string): Promise<void> {
  await act(context, (client) => client.call("POST /tasks/:id/revise", { params: { id }, body: { feedback } }));
}

export async function answerQuestions(
  context: CliContext,
  id: string,
  given: readonly string[],
  { wait }: { readonly wait?: boolean },
): Promise<void> {
  const answers = Object.fromEntries(given.map(readAnswer));
  await act(context, (client) => client.call("POST /tasks/:id/answer", { params: { id }, body: { answers } }), wait);
}

export async function choose(
  context: CliContext,
  id: string,
  option: string,
  { note }: { readonly note?: string },
): Promise<void> {
  await act(context, (client) => client.call("POST /tasks/:id/choose", { params: { id }, body: { option, note } }));
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
