import { expect, it } from "vitest";
import { builtIn, builtInPipelines, NO_FACTS } from "../../testing/walk.ts";
import { findMainPath, limitsBack } from "./main-path.ts";

const names = (pipeline: string, facts = NO_FACTS): readonly string[] =>
  findMainPath(builtIn(pipeline), facts).map(({ name }) => name);

it("the main path of every built-in pipeline ends in success", () => {
  const ends = builtInPipelines().map((pipeline) => findMainPath(pipeline, NO_FACTS).at(-1)?.step);
  expect(ends.length).toBeGreaterThan(4);
  expect(ends.filter((step) => step?.kind !== "end" || step.status !== "succeeded")).toEqual([]);
});

it("a feature is planned, approved, implemented, checked, published, reviewed and merged", () => {
  expect(names("feature")).toEqual(
    "planning plan_review implementing checking publishing reviewing merging done".split(" "),
  );
});

it("states whose condition is false are left out", () => {
  expect(names("feature", { ...NO_FACTS, design: true, auto_plan: true })).toEqual(
    "designing planning implementing checking publishing reviewing merging done".split(" "),
  );
  expect(names("staged", { ...NO_FACTS, auto_approve: true })).not.toContain("staged");
  expect(names("chore")).not.toContain("reviewing");
  expect(names("chore", { ...NO_FACTS, forge: true })).toContain("reviewing");
});

it("a step says how often the task may go back from it, with the project's own number of repairs", () => {
  const path = findMainPath(builtIn("chore"), { ...NO_FACTS, forge: true });
  const limits = path.map((state) => [state.name, limitsBack(state, path, { repair: 5 })] as const);
  expect(Object.fromEntries(limits)).toMatchObject({
    implementing: [],
    checking: [{ name: "repair", max: 5 }],
    reviewing: [{ name: "review", max: 3 }],
    merging: [],
  });
});
