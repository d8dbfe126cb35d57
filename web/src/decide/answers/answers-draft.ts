import type { QuestionJson } from "../wait.ts";

export type Answers = Readonly<Record<string, string>>;

export function defaultAnswers(questions: readonly QuestionJson[]): Answers {
  return Object.fromEntries(questions.map(({ id, default: standard }) => [id, standard ?? ""]));
}

/** What to send: everything that was answered, and the defaults of the rest. */
export function completeAnswers(questions: readonly QuestionJson[], draft: Answers): Answers {
  return Object.fromEntries(
    questions.map(({ id, default: standard }) => {
      const answer = (draft[id] ?? "").trim();
      return [id, answer === "" ? (standard ?? "") : answer];
    }),
  );
}

/** Why the answers cannot be sent, by question. Partial answers are not sent. */
export function answerProblems(questions: readonly QuestionJson[], draft: Answers): Readonly<Record<string, string>> {
  const answers = completeAnswers(questions, draft);
  return Object.fromEntries(
    questions.flatMap(({ id, input, options }): (readonly [string, string])[] => {
      const answer = answers[id] ?? "";
      if (answer === "") return [[id, "This question has no default, so it needs an answer."]];
      if (input !== "text" && !options.includes(answer)) return [[id, "Choose one of the answers."]];
      return [];
    }),
  );
}

/** "Questions 2 and 3 have no default". The numbers start at 1. */
export function withoutDefault(questions: readonly QuestionJson[]): readonly number[] {
  return questions.flatMap(({ default: standard }, index) => (standard === null ? [index + 1] : []));
}
