import { randomUUID } from "node:crypto";
import type { MergeMethod } from "../../core/forge/merge.ts";
import type { SingleRole } from "../../core/task/role.ts";
import { UserError } from "../../core/text/errors.ts";
import type { NextStep } from "../../core/task/task.ts";
import type { Client, TaskJson } from "../../http/client/client.ts";
import { confirm } from "../ask.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { shortId } from "../print/terminal/short-id.ts";
import { readDocuments } from "../read-documents.ts";
import { readTimeout } from "../daemon/read-timeout.ts";
import { refusePlaceholder } from "../copyable.ts";
import { reportTask, type ReportOptions } from "../wait/wait-for-task.ts";

/** Performs an action on a task and prints the changed task. */
export async function act(
  context: CliContext,
  perform: (client: Client) => Promise<TaskJson>,
  options: Partial<Omit<ReportOptions, "since">> = {},
): Promise<void> {
  const client = await connect(context);
  const task = await perform(client);
  await reportTask(context, client, task, { wait: false, ...options, since: task.updated_at });
}

export const pause = createSimpleAction("pause");
export const resume = createSimpleAction("resume");
export const cancel = createSimpleAction("cancel");
export const kill = createSimpleAction("kill");

function createSimpleAction(verb: "pause" | "resume" | "cancel" | "kill") {
  return (context: CliContext, id: string) =>
    act(context, (client) => client.call(`POST /tasks/:id/${verb}`, { params: { id } }), {
      next: verb === "pause" || verb === "resume",
    });
}

export async function retry(
  context: CliContext,
  id: string,
  { from, agent, model, timeout, maxTurns, budget, wait }: RetryOptions,
): Promise<void> {
  const timeout_ms = timeout === undefined ? undefined : readTimeout(timeout);
  const body = { from, agent, model, timeout_ms, max_turns: maxTurns, budget_usd: budget };
  await act(context, (client) => client.call("POST /tasks/:id/retry", { params: { id }, body }), { wait });
}

interface RetryOptions {
  readonly from?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly timeout?: string;
  readonly maxTurns?: number;
  readonly budget?: number;
  readonly wait?: boolean;
}

export async function followUp(
  context: CliContext,
  id: string,
  text: string,
  { after, wait }: { readonly after?: readonly string[]; readonly wait?: boolean },
): Promise<void> {
  refusePlaceholder(text);
  requireText(text, "The follow-up is empty.", "Say what the task should do in addition.");
  const body = { text, after: [...(after ?? [])] };
  await act(
    context,
    // A retry after a lost response must not create a second task.
    (client) => client.call("POST /tasks/:id/follow-up", { params: { id }, body, idempotencyKey: randomUUID() }),
    { wait },
  );
}

function requireText(text: string, message: string, hint: string): void {
  if (text.trim() === "") throw new UserError("invalid", message, hint);
}

export async function runRole(
  context: CliContext,
  id: string,
  role: SingleRole,
  { wait }: { readonly wait?: boolean },
): Promise<void> {
  await act(context, (client) => client.call("POST /tasks/:id/run", { params: { id }, body: { role } }), {
    wait,
    // The task itself still waits, or ended long ago.
    isDone: ({ runs }) => runs.at(-1)?.status === "succeeded",
  });
}

export async function remove(context: CliContext, id: string): Promise<void> {
  const client = await connect(context);
  const task = await client.call("GET /tasks/:id", { params: { id } });
  await client.call("DELETE /tasks/:id", { params: { id: task.id } });
  printResult(context, { deleted: task.id }, () => `Deleted ${shortId(context, task)}.\n`);
}

export async function approve(
  context: CliContext,
  id: string,
  { plan, edit, wait }: { readonly plan?: string; readonly edit?: boolean; readonly wait?: boolean },
): Promise<void> {
  const perform = async (client: Client): Promise<TaskJson> => {
    if (edit === true) return editPlan(context, client, id);
    const plan_hash = plan ?? (context.interactive ? await confirmPlan(context, client, id) : null);
    return client.call("POST /tasks/:id/approve", { params: { id }, body: { plan_hash } });
  };
  await act(context, perform, { wait });
}

async function editPlan(context: CliContext, client: Client, id: string): Promise<TaskJson> {
  const task = await client.call("GET /tasks/:id", { params: { id } });
  const plan = (await readDocuments(client, task)).find(({ kind }) => kind === "plan");
  if (plan === undefined) throw new UserError("conflict", `${shortId(context, task)} has no plan to edit.`);
  const { approveEdited } = await import("../plan/edit-plan.ts");
  return approveEdited(context, client, { task, plan });
}

/** Shows the document that the task waits with, and asks for approval. Returns its hash, or null if there is none. */
async function confirmPlan(context: CliContext, client: Client, id: string): Promise<string | null> {
  const task = await client.call("GET /tasks/:id", { params: { id } });
  const { waiting_for: waiting } = task;
  if (waiting?.kind !== "approval") return null;
  const document = (await readDocuments(client, task)).find(({ hash }) => hash === waiting.plan_hash);
  if (document === undefined) return null;
  const { describeDocument } = await import("../print/task/document.ts");
  context.progress(describeDocument(context, document));
  if (await confirm(`Approve this ${document.kind}?`)) return document.hash;
  const shown = shortId(context, task);
  throw new UserError(
    "invalid",
    `The ${document.kind} was not approved.`,
    `Run "nightshift revise ${shown} <feedback>" to request a new one or "nightshift reject ${shown}" to end the task.`,
  );
}

export async function reject(context: CliContext, id: string, reason: string | undefined): Promise<void> {
  refusePlaceholder(reason);
  await act(context, (client) => client.call("POST /tasks/:id/reject", { params: { id }, body: { reason } }), {
    next: false,
  });
}

export async function revise(
  context: CliContext,
  id: string,
  feedback: string,
  { wait }: { readonly wait?: boolean },
): Promise<void> {
  refusePlaceholder(feedback);
  requireText(feedback, "The feedback is empty.", "Say what should be different.");
  await act(context, (client) => client.call("POST /tasks/:id/revise", { params: { id }, body: { feedback } }), {
    wait,
  });
}

export async function answerQuestions(
  context: CliContext,
  id: string,
  given: readonly string[],
  { wait }: { readonly wait?: boolean },
): Promise<void> {
  const answers = Object.fromEntries(given.map(readAnswer));
  await act(context, (client) => client.call("POST /tasks/:id/answer", { params: { id }, body: { answers } }), {
    wait,
  });
}

export async function choose(
  context: CliContext,
  id: string,
  option: string,
  { note, then, wait }: { readonly note?: string; readonly then?: NextStep; readonly wait?: boolean },
): Promise<void> {
  refusePlaceholder(note);
  const body = { option, note, then };
  await act(context, (client) => client.call("POST /tasks/:id/choose", { params: { id }, body }), { wait });
}

export async function merge(
  context: CliContext,
  id: string,
  { method, note }: { readonly method?: MergeMethod; readonly note?: string },
): Promise<void> {
  refusePlaceholder(note);
  await act(context, (client) => client.call("POST /tasks/:id/merge", { params: { id }, body: { method, note } }));
}

function readAnswer(given: string): [string, string] {
  const at = given.indexOf("=");
  if (at <= 0)
    throw new UserError(
      "invalid",
      `"${given}" is not a valid answer.`,
      "Write answers as <question>=<answer>, one per question.",
    );
  const answer = given.slice(at + 1);
  refusePlaceholder(answer);
  return [given.slice(0, at), answer];
}
