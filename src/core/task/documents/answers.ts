import type { Exchange, Question, Task, WaitingFor } from "../task.ts";

/** When all questions of the task can be answered with their defaults. Null if one of them needs a person. */
export function answerDeadline(waiting: WaitingFor | null): number | null {
  if (waiting?.kind !== "answers") return null;
  const deadlines = waiting.questions.map(({ deadline, default: fallback }) => (fallback === null ? null : deadline));
  return deadlines.reduce<number | null>(
    (latest, deadline) => (latest === null || deadline === null ? null : Math.max(latest, deadline)),
    deadlines.length === 0 ? null : 0,
  );
}

/** An answer that was assumed because there was none before the deadline. A person can keep or change it. */
export interface AssumedAnswer {
  readonly question: Question;
  readonly answer: string;
  readonly state: string;
  readonly at: number;
}

export function assumedAnswers({ conversation }: Pick<Task, "conversation">): readonly AssumedAnswer[] {
  return conversation.flatMap((exchange) =>
    questionsOf(exchange)
      .filter(({ id }) => exchange.assumed?.includes(id) === true)
      .map((question) => ({
        question,
        answer: exchange.reply?.[question.id] ?? "",
        state: exchange.state,
        at: exchange.at,
      })),
  );
}

export function questionsOf({ asked }: Exchange): readonly Question[] {
  return asked.filter((each) => "question" in each);
}
