import { z } from "zod";
import { defineOutcome } from "./outcome-entry.ts";
import { PUBLISHING } from "./failure-outcomes.ts";
import { NEXT_STEPS } from "../task/task.ts";

const nothing = z.object({});

/** Decisions of people. */
export const DECISIONS = {
  approve: defineOutcome({ class: "decision", from: { wait: ["approval", "review"] }, payload: nothing }),
  reject: defineOutcome({ class: "decision", from: { wait: ["approval", "review", "merge"] }, payload: nothing }),
  revise: defineOutcome({
    class: "decision",
    from: { wait: ["approval"] },
    trigger: "comments",
    payload: z.object({ details: z.string().optional() }),
  }),
  /** Maps question ids to answers. */
  answered: defineOutcome({
    class: "decision",
    from: { wait: ["answers"] },
    trigger: "answers",
    payload: z.record(z.string(), z.string()),
  }),
  chosen: defineOutcome({
    class: "decision",
    from: { wait: ["choice"] },
    trigger: "choice",
    payload: z.object({ option: z.string(), note: z.string().optional(), then: z.enum(NEXT_STEPS).optional() }),
  }),
  cancel: defineOutcome({
    class: "decision",
    from: { agent: "any", checks: true, publish: true, post: true, wait: "any" },
    edge: { do: "cancel" },
    countsAsAttempt: false,
    payload: z.object(PUBLISHING),
  }),
  /** Reopens an ended task. No step ends in it. */
  retry: defineOutcome({ class: "decision", from: {}, payload: nothing }),
};
