import { z } from "zod";
import { VIAS } from "../../core/task/decision.ts";
import { idOrPrefix, limitUpTo, shortText, time } from "./common.ts";
import { route } from "./route.ts";

const decisionSchema = z
  .strictObject({
    id: z.int().meta({ description: "The id of its event." }),
    at: time,
    task: z.string(),
    short_id: z.string(),
    title: z.string().nullable().meta({ description: "Null if the task was deleted." }),
    project: z.string().nullable().meta({ description: "Null if the task was deleted." }),
    kind: z.string().meta({
      description:
        "approved, rejected, revised, answered, assumed (a default answer at its deadline), chosen, merged, applied, cancelled, killed, retried, continued (a follow-up) or run (a single role). What came of it is in the task.",
    }),
    by: z.strictObject({ kind: z.enum(["person", "agent", "system"]), name: z.string() }),
    via: z
      .enum(VIAS)
      .nullable()
      .meta({ description: "How the person sent it. Null for the system and for decisions of earlier versions." }),
    summary: z.string(),
    plan_hash: z.string().nullable().meta({ description: "The document that the decision is about." }),
  })
  .meta({ id: "Decision" });
export type DecisionJson = z.output<typeof decisionSchema>;

export const DECISION_ROUTES = {
  "GET /decisions": route({
    summary: "List who decided what about tasks, and when, newest first.",
    right: "read",
    query: z.strictObject({
      task: idOrPrefix.optional(),
      cursor: shortText.optional(),
      limit: limitUpTo(200, 50),
    }),
    ok: z.strictObject({ decisions: z.array(decisionSchema), next: z.string().nullable() }),
  }),
} as const;
