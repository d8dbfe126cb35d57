import { expect, it } from "vitest";
import { EMPTY_RETRY, readRetry } from "./read-retry.ts";

it("empty fields change nothing", () => {
  const { body, problems } = readRetry(EMPTY_RETRY);
  expect(problems).toEqual({});
  expect(Object.values(body).every((value) => value === null)).toBe(true);
});

it("reads minutes as milliseconds and amounts with a dollar sign", () => {
  const form = { from: "checking", agent: " codex ", model: "", minutes: "2.5", turns: "7", budget: "$1.50" };
  expect(readRetry(form)).toEqual({
    problems: {},
    body: { from: "checking", agent: "codex", model: null, timeout_ms: 150_000, max_turns: 7, budget_usd: 1.5 },
  });
});

it("names every field that is not a positive number", () => {
  const { problems } = readRetry({ ...EMPTY_RETRY, minutes: "soon", turns: "1.5", budget: "-1" });
  expect(Object.keys(problems)).toEqual(["minutes", "turns", "budget"]);
  expect(Object.keys(readRetry({ ...EMPTY_RETRY, turns: "200000" }).problems)).toEqual(["turns"]);
});
