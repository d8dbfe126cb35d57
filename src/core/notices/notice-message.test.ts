import { expect, test } from "vitest";
import { costWords, durationWords, messageOf } from "./notice-message.ts";
import type { NoticeData } from "./notice.ts";

const DATA: NoticeData = {
  isNight: true,
  pipeline: "improve",
  status: "succeeded",
  state: "published",
  outcome: "published",
  category: "docs (fallback from tests)",
  reason: "The README says how to start it.",
  url: "https://git.example.com/shop/-/merge_requests/7",
  costUsd: 0.42,
  durationMs: 12 * 60_000,
  waitingFor: null,
  next: [],
};
const told = (over: Partial<NoticeData>, title = "Improve shop") =>
  messageOf({ project: "shop", title, data: { ...DATA, ...over } });

test("notice message: a published night fits on a phone", () => {
  expect(told({})).toEqual({
    title: "shop: published – docs (fallback from tests)",
    lines: ["The README says how to start it.", DATA.url, "$0.42 · 12 min"],
  });
});

test('notice message: "nothing to improve" includes as many reasons as fit', () => {
  const reason = "tests: all covered\nrefactoring: fine\ndocs: fine\nsecurity: fine\nperformance: fine";
  const { title, lines } = told({ outcome: "no_improvement", category: "tests and 4 more", reason, url: null });
  expect(title).toBe("shop: nothing to improve – tests and 4 more");
  expect(lines).toEqual(["tests: all covered", "refactoring: fine", "docs: fine", "security: fine", "$0.42 · 12 min"]);
});

test("notice message: a waiting task says what it waits for and which command answers", () => {
  const waiting = {
    status: "waiting",
    outcome: null,
    category: null,
    url: null,
    reason: null,
    costUsd: null,
    waitingFor: "approval",
    next: ["nightshift approve task_1", "nightshift reject task_1"],
  } as const;
  expect(told(waiting, "Greet people")).toEqual({
    title: "shop: waits for your approval – Greet people",
    lines: ["Its plan is ready to be read.", "cost unknown · 12 min", "→ nightshift approve task_1"],
  });
});

test("notice message: a failure says why and what to do", () => {
  const { title, lines } = told(
    {
      status: "failed",
      outcome: "timeout",
      category: null,
      reason: "too slow",
      url: null,
      next: ["nightshift show t"],
    },
    "Greet \u001b[31mpeople\nnow",
  );
  expect(title).toBe("shop: failed – Greet people now");
  expect(lines).toEqual(["too slow", "$0.42 · 12 min", "→ nightshift show t"]);
});

test("notice message: a closed change request asks for the reason and shows the command", () => {
  const reason = "Say more: why was it closed?";
  expect(told({ about: "closed", reason, next: ["nightshift rules reason t wrong"] })).toEqual({
    title: "shop: closed without a reason – docs (fallback from tests)",
    lines: [reason, DATA.url, "→ nightshift rules reason t wrong"],
  });
});

test("notice message: a missed night is not described as finished", () => {
  const queued = { status: "queued", outcome: null, category: "docs", url: null, costUsd: 0, durationMs: 0 } as const;
  expect(told({ ...queued, about: "missed", reason: "It should have run." })).toEqual({
    title: "shop: was missed and starts now – docs",
    lines: ["It should have run."],
  });
});

test("notice message: a published task outside a night is a finished task", () => {
  expect(told({ isNight: false, category: null }).title).toBe("shop: done – Improve shop");
  expect(told({ isNight: false, category: null, status: "cancelled" }).title).toBe("shop: cancelled – Improve shop");
});

test("notice message: lines are short, but the URL is complete", () => {
  const url = `https://git.example.com/${"a".repeat(300)}`;
  const { title, lines } = told({ reason: "long ".repeat(200), url, category: "x".repeat(300) });
  expect(title).toHaveLength(120);
  expect(lines[0]?.length).toBeLessThanOrEqual(160);
  expect(lines[1]).toBe(url);
});

test.for([
  [null, "cost unknown"],
  [0, "$0.00"],
  [0.001, "less than $0.01"],
  [1.256, "$1.26"],
] as const)("formats the cost %s as %s", ([usd, words]) => {
  expect(costWords(usd)).toBe(words);
});

test.for([
  [4_400, "4 s"],
  [720_000, "12 min"],
  [3_900_000, "1 h 5 min"],
] as const)("formats the duration of %s ms as %s", ([ms, words]) => {
  expect(durationWords(ms)).toBe(words);
});

test("notice message: a result without checks says so", () => {
  expect(told({ unchecked: ["build", "test"] }).lines).toContain(
    "Not checked, because the checks are not accepted: build, test.",
  );
});
