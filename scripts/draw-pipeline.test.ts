import { expect, it } from "vitest";
import { drawPipeline } from "./draw-pipeline.ts";
import { checkPipeline } from "../src/config/pipeline/parse-pipeline.ts";
import type { Pipeline } from "../src/core/pipeline/pipeline.ts";

const ENDS = { done: { end: "succeeded" }, failed: { end: "failed" }, cancelled: { end: "cancelled" } };

function pipeline(states: Readonly<Record<string, unknown>>, each?: string): Pipeline {
  const value = {
    name: "p",
    start: Object.keys(states)[0],
    states: { ...states, ...ENDS },
    ...(each === undefined ? {} : { each }),
  };
  const result = checkPipeline({ name: "p", file: null, hash: "", value }, () => ({ line: 1, column: 1 }));
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.pipeline;
}

it("draws limits, conditions, roles, lists and questions on the edges", () => {
  const drawing = drawPipeline(
    pipeline(
      {
        implementing: {
          agent: "implement",
          on: {
            implemented: "looking",
            no_changes: {
              to: "implementing",
              limit: { again: 2 },
              else: { next: "item", to: "implementing", else: "failed" },
            },
            needs_info: { ask: "answers" },
            refused: ["implementing", "failed"],
          },
        },
        looking: {
          when: "not auto_plan",
          else: "done",
          wait: "approval",
          on: {
            approve: [
              { to: "done", when: "git" },
              { to: "failed", when: "not git" },
            ],
            reject: "cancelled",
            revise: { to: "implementing", role: "request_changes" },
          },
        },
      },
      "item",
    ),
  );
  expect(drawing.split("\n").map((line) => line.trim())).toEqual([
    "stateDiagram-v2",
    'state "implementing (implement)" as implementing',
    'state "looking (waits for approval)" as looking',
    'state "done (succeeded)" as done',
    'state "failed" as failed',
    'state "cancelled" as cancelled',
    "[*] --> implementing",
    "implementing --> looking : implemented",
    "implementing --> implementing : no_changes (again, at most 2)",
    "implementing --> implementing : no_changes (again used up, next item)",
    "implementing --> failed : no_changes (no item left)",
    "implementing --> implementing : refused (a person chooses)",
    "implementing --> failed : refused (a person chooses)",
    "implementing --> implementing : needs_info (asks for answers)",
    "looking --> done : if auto_plan",
    "looking --> done : approve (if git)",
    "looking --> failed : approve (unless git)",
    "looking --> cancelled : reject",
    "looking --> implementing : revise (as request_changes)",
    "done --> [*]",
    "failed --> [*]",
    "cancelled --> [*]",
    "note right of failed : Not drawn - failures and cancel lead here or to cancelled, questions wait and come back",
    "",
  ]);
});

it("keeps names that mean something to Mermaid apart", () => {
  const drawing = drawPipeline(
    pipeline({
      note: { agent: "execute", on: { completed: "state" } },
      state: { publish: true, on: { published: "done" } },
    }),
  );
  expect(drawing).toContain('state "note (execute)" as note_\n');
  expect(drawing).toContain("[*] --> note_\n");
  expect(drawing).toContain("note_ --> state_ : completed\n");
  expect(drawing).toContain("state_ --> done : published\n");
});
