import { expect, it } from "vitest";
import { deedRows } from "./deed-rows.ts";

const PLAN = {
  summary: "One file.",
  prompt: "Write it.",
  tools: ["Read", "Write"],
  directories: ["exports"],
  commands: ["node"],
  network: [],
  needs_git: false,
  estimate: { tokens: 40_000, minutes: 6 },
  limits: { minutes: 15, usd: 5 },
  reasoning: "Because.",
};

const show = (content: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(deedRows(content, { inPlace: false }).map(({ label, values }) => [label, values.join(", ")]));

it("every right of a plan has a row, also those that it does not ask for", () => {
  expect(show(PLAN)).toMatchObject({
    Prompt: "Write it.",
    Tools: "Read, Write",
    Programs: "node",
    "May write": "exports",
    Network: "None",
    Git: "Not needed",
    Limits: "15 min, $5.00",
    Estimate: "6 min, 40,000 tokens",
  });
});

it("a plan without a list of programs or directories says what that means", () => {
  const { commands: _, ...open } = PLAN;
  expect(show({ ...open, directories: [] })).toMatchObject({
    Programs: "Every program that the project allows",
    "May write": "Nothing, it only reads",
  });
});

it("a field that the page does not know is shown as well, because the approval holds for it", () => {
  expect(show({ ...PLAN, sudo: true })).toMatchObject({ sudo: "true" });
});

it("invisible characters of a prompt are shown as escapes", () => {
  expect(show({ ...PLAN, prompt: "safe\u202e\u200bdelete" })["Prompt"]).toBe(String.raw`safe\u202e\u200bdelete`);
});

it("an amount of money is exact", () => {
  expect(show({ ...PLAN, limits: { usd: 0.125 } })["Limits"]).toBe("$0.125");
});
