import { expect, it } from "vitest";
import type { QuestionJson } from "../wait.ts";
import { answerProblems, completeAnswers, defaultAnswers, withoutDefault } from "./answers-draft.ts";

const question = (id: string, rest: Partial<QuestionJson>): QuestionJson => ({
  id,
  question: `${id}?`,
  context: null,
  input: "text",
  options: [],
  default: null,
  deadline: null,
  ...rest,
});

const QUESTIONS = [
  question("which", { input: "choice", options: ["new", "all"], default: "new" }),
  question("who", {}),
];

it("only questions with a default have an answer at first", () => {
  expect(defaultAnswers(QUESTIONS)).toEqual({ which: "new", who: "" });
});

it("a question without a default needs an answer, and partial answers are not complete", () => {
  expect(Object.keys(answerProblems(QUESTIONS, { which: "all", who: " " }))).toEqual(["who"]);
  expect(answerProblems(QUESTIONS, { which: "all", who: "Anna" })).toEqual({});
});

it("an emptied answer is sent as the default", () => {
  expect(completeAnswers(QUESTIONS, { which: "", who: " Anna " })).toEqual({ which: "new", who: "Anna" });
});

it("a draft of other questions with the same names is no valid answer", () => {
  expect(Object.keys(answerProblems(QUESTIONS, { which: "drafts", who: "Anna" }))).toEqual(["which"]);
});

it("questions without a default are named by their number", () => {
  expect(withoutDefault(QUESTIONS)).toEqual([2]);
});
