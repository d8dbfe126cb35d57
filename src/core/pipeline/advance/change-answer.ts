import type { Exchange, Task } from "../../task/task.ts";
import { reopen, type Advance, type AdvanceParams } from "./advance.ts";

export interface AnswerChange {
  /** Position of the exchange in the task's conversation. */
  readonly index: number;
  readonly answers: Readonly<Record<string, string>>;
}

/** Replaces assumed answers with those of a person, who has then answered these questions. */
export function confirmAnswers(task: Task, { index, answers }: AnswerChange, by: string): Task {
  const conversation = task.conversation.map((exchange, position): Exchange => {
    if (position !== index) return exchange;
    const assumed = (exchange.assumed ?? []).filter((id) => !Object.hasOwn(answers, id));
    return { ...exchange, reply: { ...exchange.reply, ...answers }, assumed, by };
  });
  return { ...task, conversation };
}

/**
 * Repeats the state that asked, with other answers than the assumed ones. The task's work is again what it was when the
 * question was asked, unless people committed on its branch; work whose git objects were removed with the task starts from the base.
 */
export function changeAnswers(params: AdvanceParams, change: AnswerChange, isWorkLost: boolean): Advance {
  const exchange = params.task.conversation[change.index];
  if (exchange === undefined) throw new Error(`task ${params.task.id} has no exchange ${change.index}`);
  const { baseCommit, published } = params.task;
  // Commits of people on the branch are kept, so the work goes on from there.
  const hasPeoplesCommits = published?.people != null;
  const work = hasPeoplesCommits
    ? {}
    : isWorkLost
      ? { headCommit: baseCommit }
      : (exchange.work ?? { headCommit: baseCommit });
  const task = { ...confirmAnswers(params.task, change, params.actor.name), ...work, order: null, waitingFor: null };
  const trigger = { kind: "answers", text: params.outcome.summary, run: null } as const;
  return reopen({ ...params, task }, exchange.state, { role: exchange.role ?? null, trigger });
}
