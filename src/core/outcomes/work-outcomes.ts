import { z } from "zod";
import { SEVERITIES } from "../task/documents/review.ts";
import { CHANGING_ROLES } from "../task/role.ts";
import { defineOutcome, defineReport, type PlanKind, type ReportForm } from "./outcome-entry.ts";
import { checkedPlan, executionPlan } from "./execution-plan.ts";
import { maybe, options, path, paths, questions, subtasks, summary, text } from "./payload-fields.ts";

const documentPlan = z.object({ summary, plan: text, plan_summary: text, subtasks, files: maybe(paths) });

const PLAN_WHEN = "when another agent can carry out the plan without asking you anything.";

/** The pipeline determines which one its agents report. */
const PLAN_FORMS: Readonly<Record<PlanKind, ReportForm>> = {
  document: {
    schema: documentPlan,
    when: PLAN_WHEN,
    example: {
      summary: "Keep the sign in parsePrice.",
      plan: "## Goal\nparsePrice keeps the sign of a price.\n\n## Steps\n1. (low) src/price.ts: let parsePrice accept a leading minus …\n\n## Risks\n…",
      plan_summary: "Keep the sign in parsePrice and test it.",
      subtasks: ["Accept a leading minus", "Add test cases"],
      files: ["src/price.ts", "src/price.test.ts"],
    },
  },
  execution: {
    schema: executionPlan,
    when: PLAN_WHEN,
    example: {
      summary: "List the licences of all dependencies.",
      prompt: "Read package-lock.json and write reports/licences.md with …",
      tools: ["Read", "Write"],
      directories: ["reports"],
      commands: [],
      network: [],
      needs_git: false,
      system_prompt: "",
      estimate: { tokens: 40000, minutes: 5, usd: 0.4 },
      reasoning: "Only one file is written, so only reports/ needs to be writable.",
    },
  },
};

export const comment = z.object({
  file: maybe(path),
  line: maybe(z.int().min(1)),
  severity: z.enum(SEVERITIES),
  comment: text,
});
/** Optional. The engine binds the verdict to the commit that was reviewed, and refuses a report about another one. */
const commit = maybe(z.string().max(64)).optional();
const comments = z
  .array(comment)
  .max(200)
  .nullish()
  .transform((list) => list ?? []);

const commentAnswer = z.object({ comment: z.int().min(1).max(200), answer: z.string().max(2_000) });

/** Reported by the agents of other pipelines. */
export const WORK_OUTCOMES = {
  implemented: defineReport({
    class: "success",
    from: { agent: CHANGING_ROLES },
    schema: z.object({
      summary: text,
      subtasks_done: maybe(z.array(z.int().min(1).max(100)).max(100)).optional(),
      comments_answered: maybe(z.array(commentAnswer).max(200)).optional(),
    }),
    when: "when the change is complete in the files of the workspace. Say what you changed and why. Claims about tests do not count; the engine runs the checks afterwards.",
    example: { summary: "parsePrice now keeps the sign. Added two cases to its test." },
  }),
  plan_complete: {
    ...defineOutcome({
      class: "success",
      from: { agent: ["plan", "plan_revision"] },
      payload: z.union([documentPlan, checkedPlan]),
    }),
    reportForm: (plan: PlanKind): ReportForm => PLAN_FORMS[plan],
  },
  investigation_complete: defineReport({
    class: "success",
    from: { agent: ["investigate"] },
    schema: z.object({ report: text, summary: text, options: maybe(options), subtasks }),
    when: "when you have evidence for the cause. Use `options` if there is more than one reasonable fix.",
    example: {
      report: "## Cause\nsrc/price.ts:8 drops every character that is not a digit …",
      summary: "The sign is dropped in src/price.ts:8.",
      options: [{ id: "keep-sign", title: "Keep the sign", description: "Accept a leading minus.", recommended: true }],
      subtasks: ["Accept a leading minus"],
    },
  }),
  design_ready: defineReport({
    class: "success",
    from: { agent: ["design"] },
    schema: z.object({ design: text, summary: text }),
    when: "when the design says what will be built, where, and which alternatives were rejected.",
    example: {
      design: "## Goal\n…",
      summary: "A signed price type at the boundary; internal code stays the same.",
    },
  }),
  completed: defineReport({
    class: "success",
    from: { agent: ["execute"] },
    schema: z.object({ summary: text, result: maybe(text) }),
    when: "when the whole approved plan is done. `result` is all that is kept of your work; without it the task fails.",
    example: { summary: "The report is in reports/licences.md.", result: "3 packages have no licence." },
  }),
  approved: defineReport({
    class: "verdict",
    from: { agent: ["review"] },
    schema: z.object({ summary: text, comments, commit }).superRefine((review, context) => {
      if (review.comments.some(({ severity }) => severity === "critical")) {
        context.addIssue({
          code: "custom",
          path: ["comments"],
          message: 'contains a critical comment: report "changes_requested", or lower its severity',
        });
      }
    }),
    when: "when the change may be merged as it is. None of the comments may be critical.",
    example: {
      summary: "Does what the task asks for, with tests.",
      comments: [{ file: "src/price.ts", line: 8, severity: "nit", comment: "`sign` would be a clearer name." }],
    },
  }),
  changes_requested: defineReport({
    class: "verdict",
    from: { agent: ["review"], wait: ["review", "merge"] },
    // Pipelines of earlier versions have no target for it at the merge gate; the command refuses it there.
    edgeInWait: { merge: { do: "person" } },
    trigger: "comments",
    startsRound: true,
    schema: z.object({ summary: text, comments, commit }),
    when: "when something must change before the merge. `severity` is critical, suggestion or nit.",
    example: {
      summary: "-0 is parsed as 1.",
      comments: [{ file: "src/price.ts", line: 8, severity: "critical", comment: 'parsePrice("-0") returns 1.' }],
    },
  }),
  /** The engine turns it into `implemented`, with the work of the best variant. */
  ranked: defineReport({
    class: "verdict",
    from: { agent: ["rank"] },
    schema: z.object({ summary: text, ranking: z.array(z.string().max(40)).min(1).max(10) }),
    when: "when you know which variant is the best. `ranking` has the letters of all variants, the best one first. Say in `summary` why it is the best.",
    example: { summary: "B also handles -0 and has a test for it. A drops the sign there.", ranking: ["B", "A"] },
  }),
  needs_info: defineReport({
    class: "question",
    from: { agent: "any" },
    edge: { do: "ask", what: "answers" },
    schema: z.object({ summary, questions }),
    when: "when you cannot continue without a person's answer and no reasonable assumption exists. Ask one to five questions. `input` is text, choice (with `options`) or boolean.",
    example: {
      summary: "Which currency is meant?",
      questions: [
        {
          id: "currency",
          question: "Which currency do prices without a symbol have?",
          context: "src/price.ts:3 assumes EUR.",
          input: "choice",
          options: ["EUR", "USD"],
          default: "EUR",
        },
      ],
    },
  }),
  options_proposed: defineReport({
    class: "question",
    from: { agent: "any" },
    edge: { do: "ask", what: "choice" },
    schema: z.object({ summary: text, options }),
    when: "when there are several reasonable approaches and a person has to choose.",
    example: {
      summary: "There are two ways to keep the sign.",
      options: [
        {
          id: "type",
          title: "A price type",
          description: "New type for signed prices.",
          pros: ["cannot be forgotten"],
          cons: ["touches 12 files"],
        },
        { id: "parse", title: "Only the parser", description: "Change parsePrice alone.", recommended: true },
      ],
    },
  }),
};
