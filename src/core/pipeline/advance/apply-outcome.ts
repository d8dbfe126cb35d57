import type { AdvanceParams } from "./advance.ts";
import { contextEntryOf } from "../../task/documents/context-entry.ts";
import type { Actor } from "../../task/event.ts";
import { toRef, type TaskDocument } from "../../task/documents/document.ts";
import type { Exchange, Subtask, Task } from "../../task/task.ts";
import { terminalLine } from "../../text/terminal-text.ts";

/** Stores an outcome's data in the task: a document, a summary for later runs, finished subtasks, or a person's reply. */
export function applyOutcome(params: AdvanceParams, document: TaskDocument | null = null): Task {
  const entry = contextEntryOf({ ...params, trigger: params.task.trigger });
  const task = entry === null ? params.task : { ...params.task, context: [...params.task.context, entry] };
  return withReply(withSubtasks(withDocument(withTitle(task, params), document), params), params);
}

/** With `text: described`, a task has a generic title until the finished change is described. */
function withTitle(task: Task, { outcome, pipeline }: AdvanceParams): Task {
  if (outcome.name !== "described" || pipeline.policy.publish.text === "task") return task;
  return { ...task, title: terminalLine(outcome.payload.title, MAX_TITLE) };
}

const MAX_TITLE = 120;

function withDocument(task: Task, document: TaskDocument | null): Task {
  if (document === null) return task;
  const documents = [...task.documents, toRef(document)];
  if (document.kind !== "plan") return { ...task, documents };
  return { ...task, documents, plan: document.content, planHash: document.hash };
}

function withSubtasks(task: Task, { outcome }: AdvanceParams): Task {
  if (outcome.name === "implemented") {
    const done = new Set(outcome.payload.subtasks_done ?? []);
    return {
      ...task,
      subtasks: task.subtasks.map((each, index) => ({ ...each, done: each.done || done.has(index + 1) })),
    };
  }
  if (outcome.name !== "plan_complete" && outcome.name !== "investigation_complete") return task;
  const titles = "subtasks" in outcome.payload ? outcome.payload.subtasks : [];
  return { ...task, subtasks: titles.map((title): Subtask => ({ title, done: false })) };
}

function withReply(task: Task, { outcome, actor, at }: AdvanceParams): Task {
  if (outcome.name !== "answered" && outcome.name !== "chosen") return task;
  const open = task.conversation.length - 1;
  if (!isOpen(task, task.conversation[open])) return task;
  const reply = Object.fromEntries(Object.entries(outcome.payload).map(([key, value]) => [key, String(value)]));
  const conversation = task.conversation.map((exchange, index): Exchange =>
    index === open ? { ...exchange, reply, by: actor.name, at, ...assumedBy(actor, reply) } : exchange,
  );
  return { ...task, conversation };
}

/** Only people answer; the engine takes defaults at the deadline. */
function assumedBy(actor: Actor, reply: Readonly<Record<string, string>>): Pick<Exchange, "assumed"> {
  return actor.kind === "system" ? { assumed: Object.keys(reply) } : {};
}

/** True if the task waits for a reply to this exchange. Exchanges without a reply may also remain after a cancel. */
function isOpen({ waitingFor, state }: Task, exchange: Exchange | undefined): boolean {
  if (exchange === undefined || waitingFor === null || exchange.reply !== null) return false;
  return exchange.kind === waitingFor.kind && exchange.state === state && exchange.at === waitingFor.since;
}
