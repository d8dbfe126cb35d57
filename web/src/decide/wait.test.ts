import { expect, it } from "vitest";
import { answerDeadline, compareWaits, isNewVersion, isSameWait, type QuestionJson, type Waiting } from "./wait.ts";

const question = (fallback: string | null, deadline: string | null): QuestionJson => ({
  id: "q",
  question: "?",
  context: null,
  input: "text",
  options: [],
  default: fallback,
  deadline,
});

const asks = (since: string, ...questions: readonly QuestionJson[]): Waiting => ({
  kind: "answers",
  since,
  questions: [...questions],
});

const approval = (hash: string, since: string): Waiting => ({
  kind: "approval",
  since,
  plan_hash: hash,
  document: { kind: "plan", version: 1 },
  reasons: [],
});

it("the defaults are taken at the latest deadline, because all questions are answered at once", () => {
  expect(answerDeadline(asks("1", question("a", "2026-11-17T10:00:00Z"), question("b", "2026-11-17T12:00:00Z")))).toBe(
    "2026-11-17T12:00:00Z",
  );
});

it("a question without a default keeps the task waiting after the deadline of the others", () => {
  expect(answerDeadline(asks("1", question("a", "2026-11-17T10:00:00Z"), question(null, null)))).toBeNull();
});

it("the nearest deadline comes first, then the task that has waited longest", () => {
  const waits = [
    approval("x", "2026-11-17T02:00:00Z"),
    approval("y", "2026-11-17T01:00:00Z"),
    asks("2026-11-17T05:00:00Z", question("a", "2026-11-17T10:00:00Z")),
    asks("2026-11-17T06:00:00Z", question("a", "2026-11-17T09:00:00Z")),
  ];
  expect(waits.toSorted(compareWaits).map((wait) => waits.indexOf(wait))).toEqual([3, 2, 1, 0]);
});

it("a plan with another hash is a new version, and a later wait is not the one that was opened", () => {
  const opened = approval("x", "2026-11-17T01:00:00Z");
  expect(isNewVersion(opened, approval("y", "2026-11-17T02:00:00Z"))).toBe(true);
  expect(isNewVersion(opened, null)).toBe(false);
  expect(isSameWait(opened, approval("x", "2026-11-17T01:00:00Z"))).toBe(true);
  expect(isSameWait(opened, approval("x", "2026-11-17T02:00:00Z"))).toBe(false);
});
