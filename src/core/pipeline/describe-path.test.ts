import { expect, it } from "vitest";
import { describePath, type Transition } from "./describe-path.ts";
import { checkPipeline } from "../../config/pipeline/parse-pipeline.ts";
import type { Pipeline } from "./pipeline.ts";

const repair = { to: "implementing", limit: { repair: 3 }, else: { next: "item", to: "implementing", else: "failed" } };
const pipeline = checked({
  name: "p",
  start: "implementing",
  each: "item",
  states: {
    implementing: { agent: "implement", on: { implemented: "checking", no_changes: "failed" } },
    checking: { checks: true, on: { checks_passed: "looking", checks_failed: repair, policy_failed: repair } },
    looking: {
      when: "forge",
      else: "done",
      wait: "approval",
      on: { approve: "done", reject: "cancelled", revise: { to: "looking", limit: { look: 1 }, else: "done" } },
    },
    done: { end: "succeeded" },
    failed: { end: "failed" },
    cancelled: { end: "cancelled" },
  },
});

const START: Transition = { from: null, to: "implementing", outcome: "retry" };
const DONE: Transition = { from: "implementing", to: "checking", outcome: "implemented" };
const FAILED: Transition = { from: "checking", to: "implementing", outcome: "checks_failed" };
const REFUSED: Transition = { from: "checking", to: "implementing", outcome: "policy_failed" };

it("describePath: shows the use of limits", () => {
  const passed: Transition = { from: "checking", to: "done", outcome: "checks_passed" };
  expect(describePath([START, DONE, FAILED, DONE, REFUSED, DONE, passed], pipeline, 20)).toBe(
    "implementing → checking → implementing (repair 1/3) → checking → implementing (repair 2/3) → checking → done",
  );
});

it("describePath: resets limits for the next item", () => {
  const rounds = Array.from({ length: 5 }, () => [DONE, FAILED]).flat();
  expect(describePath([START, ...rounds], pipeline, 5)).toBe(
    "… 6 earlier → implementing (repair 3/3) → checking → implementing → checking → implementing (repair 1/3)",
  );
});

it("describePath: begins with the source of the first transition", () => {
  expect(describePath([DONE], pipeline, 20)).toBe("implementing → checking");
  expect(describePath([], pipeline, 20)).toBe("");
});

it("describePath: shows the end of a long path", () => {
  expect(describePath([START, DONE, FAILED, DONE], pipeline, 2)).toBe(
    "… 2 earlier → implementing (repair 1/3) → checking",
  );
});

it("describePath: works without the pipeline", () => {
  expect(describePath([DONE, FAILED], null, 20)).toBe("implementing → checking → implementing");
});

function checked(value: unknown): Pipeline {
  const result = checkPipeline({ name: "p", file: null, hash: "", value }, () => ({ line: 1, column: 1 }));
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.pipeline;
}
