import { expect, it } from "vitest";
import { draftProblems, toDraft, toPlan } from "./edited-plan.ts";

const PLAN = {
  prompt: "Write it.",
  tools: ["Read"],
  directories: ["exports", "reports"],
  network: [],
  needs_git: false,
  limits: { minutes: 15 },
  reasoning: "Because.",
  problems: ["Host x is not allowed."],
};

it("a plan that is not edited stays the same, without the engine's remarks", () => {
  const { problems: _, ...rest } = PLAN;
  const plan = JSON.parse(JSON.stringify(toPlan(PLAN, toDraft(PLAN)))) as unknown;
  expect(plan).toEqual({ ...rest, system_prompt: "" });
});

it("lists have one entry per line, and blank lines do not count", () => {
  const draft = { ...toDraft(PLAN), directories: " exports \n\n", commands: "node\n" };
  expect(toPlan(PLAN, draft)).toMatchObject({ directories: ["exports"], commands: ["node"] });
});

it("removed limits are left out", () => {
  expect(toPlan(PLAN, { ...toDraft(PLAN), minutes: "" })["limits"]).toBeUndefined();
});

it("an empty prompt and amounts that are no limits are problems of their fields", () => {
  expect(Object.keys(draftProblems({ ...toDraft(PLAN), prompt: " ", minutes: "soon", usd: "0" }))).toEqual([
    "prompt",
    "minutes",
    "usd",
  ]);
  expect(draftProblems(toDraft(PLAN))).toEqual({});
});
