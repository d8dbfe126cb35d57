import { expect, it } from "vitest";
import { taskDraftSchema } from "../../../../src/http/contract/task.ts";
import { checkForm, EMPTY_FORM, problemsByField, toDraftBody, toPreviewBody, type TaskForm } from "./form.ts";

const form = (more: Partial<TaskForm> = {}): TaskForm => ({
  ...EMPTY_FORM,
  description: "Paint the shed",
  project: "shop",
  ...more,
});

it("a form without problems is a draft that the API accepts", () => {
  const full = form({
    title: "Shed",
    tags: "garden, wood,garden",
    budget_usd: "$2.50",
    timeout_ms: "10m",
    max_turns: "7",
    after: "k1v9, task_abc",
    best_of: "codex:gpt-5:mini, claude-code",
    allow_dirs: "/tmp/a\n/tmp/b\n",
    size: "s",
    issue: "42",
  });
  expect(checkForm(full)).toEqual({});
  expect(taskDraftSchema.parse(toDraftBody(full))).toMatchObject({
    tags: ["garden", "wood"],
    budget_usd: 2.5,
    timeout_ms: 600_000,
    after: ["k1v9", "task_abc"],
    best_of: [
      { agent: "codex", model: "gpt-5:mini" },
      { agent: "claude-code", model: null },
    ],
    allow_dirs: ["/tmp/a", "/tmp/b"],
  });
});

it.each<[field: keyof TaskForm, value: string, message: string]>([
  ["description", " \n", "Say what should be done"],
  ["description", "x".repeat(1_000_001), "1,000,001"],
  ["project", "", "Choose the project"],
  ["title", "x".repeat(1001), "At most 1000"],
  ["issue", "4.5", "Expected the number of an issue"],
  ["tags", "x".repeat(41), "at most 40"],
  ["budget_usd", "-1", "above 0"],
  ["timeout_ms", "5 minutes", "duration"],
  ["planning_timeout_ms", "8d", "at most 7d"],
  ["max_turns", "0", "number of turns"],
  ["after", "No Id", "“No Id”"],
  ["related", "a,b", "One task only"],
  ["best_of", "codex", "Name 2"],
  ["allow_dirs", "src", "absolute"],
])("%s = %j has a problem at its own field, and is left out of the preview", (field, value, message) => {
  const wrong = form({ [field]: value });
  expect(checkForm(wrong)[field]).toContain(message);
  expect(Object.keys(checkForm(wrong))).toEqual([field]);
  expect(taskDraftSchema.safeParse(toPreviewBody(wrong)).success).toBe(field !== "project");
});

it("a review needs the address of a change request instead of a description", () => {
  const review = form({ pipeline: "review", description: "" });
  expect(Object.keys(checkForm(review))).toEqual(["url"]);
  expect(toDraftBody({ ...review, url: "https://forge.example/1" })).toMatchObject({
    url: "https://forge.example/1",
    description: null,
  });
});

it("an issue is enough to describe a task", () => {
  expect(checkForm(form({ description: "", issue: "7" }))).toEqual({});
});

it("problems of the daemon are shown at their fields, others apart", () => {
  expect(
    problemsByField([
      { key: "tags[0]", message: "too long" },
      { key: "best_of.1.agent", message: "unknown" },
      { key: "tags", message: "second" },
      { key: "(body)", message: "no object" },
    ]),
  ).toEqual({ fields: { tags: "too long", best_of: "unknown" }, others: ["no object"] });
});
