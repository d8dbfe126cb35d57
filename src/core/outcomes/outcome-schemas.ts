import { z } from "zod";
import { type AgentOutcome, ROLE_OUTCOMES, SHARED_AGENT_OUTCOMES } from "./outcome.ts";
import type { Role } from "../task/role.ts";

// The outcome file holds a megabyte at most; these limits keep one field from filling pages, prompts and messages.
const LONG = 100_000;
const SHORT = 1_000;

const text = z.string().regex(/\S/, "must not be blank").max(LONG);
const line = z.string().regex(/\S/, "must not be blank").max(SHORT);
const path = z.string().min(1).max(4_096);
/** People type ids in `nightshift answer <task> <id>=…`, so they hold nothing a shell or the `=` would trip over. */
const id = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "must be 1 to 64 letters, digits, dots, dashes or underscores")
  .describe("1 to 64 letters, digits, dots, dashes or underscores");
const rank = z.int().min(1).max(1_000);
const lines = z.array(line).max(100);
const paths = z.array(path).max(1_000);
const textOrLines = z.union([text, lines]);
const summary = maybe(text);
const subtasks = lines.nullish().transform((list) => list ?? []);

const option = z.object({
  id,
  title: line,
  description: text,
  pros: maybe(textOrLines),
  cons: maybe(textOrLines),
  recommended: maybe(z.boolean()),
});
const options = z.array(option).min(1).max(20).superRefine(idsAreUnique);

const question = z
  .object({
    id,
    question: text,
    context: maybe(text),
    input: z.enum(["text", "choice", "boolean"]),
    options: maybe(z.array(line).max(20)),
    default: maybe(z.union([z.string().max(LONG), z.boolean()])),
    deadline: maybe(z.iso.datetime({ offset: true })),
  })
  .superRefine((asked, check) => {
    const choices = asked.options ?? [];
    if (asked.input === "choice" && new Set(choices).size < 2) {
      check.addIssue({
        code: "custom",
        path: ["options"],
        message: 'must hold at least two different answers when "input" is "choice"',
      });
    }
    if (asked.input === "choice" && asked.default !== undefined && !choices.includes(String(asked.default))) {
      check.addIssue({ code: "custom", path: ["default"], message: 'must be one of "options"' });
    }
    if (asked.deadline !== undefined && asked.default === undefined) {
      check.addIssue({
        code: "custom",
        path: ["deadline"],
        message: 'needs a "default", which is taken when it has passed',
      });
    }
  });

const candidate = z.object({ rank, title: line, files: paths, description: text, rationale: text });

const comment = z.object({
  file: maybe(path),
  line: maybe(z.int().min(1)),
  severity: z.enum(["critical", "suggestion", "nit"]),
  comment: text,
});
const comments = z
  .array(comment)
  .max(200)
  .nullish()
  .transform((list) => list ?? []);

const planForDevelopment = z.object({ summary, plan: text, plan_summary: text, subtasks });

const planForStaged = z.object({
  summary,
  prompt: text,
  tools: lines,
  directories: paths,
  needs_git: z.boolean(),
  system_prompt: maybe(z.string().max(LONG)),
  estimate: z.object({ tokens: z.int().min(0), minutes: z.number().min(0) }),
  reasoning: text,
});

/** The payload of every outcome an agent can report, by the names of the report itself. Unknown keys are left out. */
export const PAYLOADS = {
  improvement_found: z
    .object({
      summary,
      category: line,
      candidates: z.array(candidate).min(1).max(5),
      selected: rank,
      slug: maybe(line),
    })
    .superRefine((found, check) => {
      const ranks = found.candidates.map((each) => each.rank);
      if (new Set(ranks).size < ranks.length) {
        check.addIssue({
          code: "custom",
          path: ["candidates"],
          message: `must each have a rank of their own, found ${ranks.join(", ")}`,
        });
      }
      if (!ranks.includes(found.selected)) {
        check.addIssue({
          code: "custom",
          path: ["selected"],
          message: `must be the rank of a candidate: ${ranks.join(", ")}`,
        });
      }
    }),
  no_improvement: z.object({ summary, reason: text, files_scanned: z.int().min(0) }),
  implemented: z.object({ summary: text }),
  verified: z.object({ summary: text, error_details: maybe(text) }),
  verify_failed: z.object({ summary: text, error_details: maybe(text) }),
  described: z.object({ title: line, summary: text, reasoning: text, changes: text, commit_message: text }),
  opened: z.object({ summary, url: line }),
  plan_complete: z.union([planForDevelopment, planForStaged]),
  investigation_complete: z.object({ report: text, summary: text, options: maybe(options), subtasks }),
  design_ready: z.object({ design: text, summary: text }),
  completed: z.object({ summary: text, result: maybe(text) }),
  approved: z.object({ summary: text, comments }).superRefine((review, check) => {
    if (review.comments.some(({ severity }) => severity === "critical")) {
      check.addIssue({
        code: "custom",
        path: ["comments"],
        message: 'hold a critical one: report "changes_requested", or lower its severity',
      });
    }
  }),
  changes_requested: z.object({ summary: text, comments }),
  needs_info: z.object({ summary, questions: z.array(question).min(1).max(5).superRefine(idsAreUnique) }),
  options_proposed: z.object({ summary: text, options }),
} satisfies Record<AgentOutcome, z.ZodType>;

/** The schema that a reported value is held to: for plans, the shape it comes nearest to, so that the problems fit. */
export function payloadSchema(
  outcome: AgentOutcome,
  value: Readonly<Record<string, unknown>>,
): z.ZodType<Record<string, unknown>> {
  if (outcome !== "plan_complete") return PAYLOADS[outcome];
  // Null is nothing here as well: a schema that wants every key makes a model fill in those of the other shape with it.
  const hasPlan = (value["plan"] ?? null) !== null;
  return (value["prompt"] ?? null) !== null && !hasPlan ? planForStaged : planForDevelopment;
}

export function outcomesOf(role: Role): readonly AgentOutcome[] {
  return [...ROLE_OUTCOMES[role], ...SHARED_AGENT_OUTCOMES];
}

/** A model that has nothing to say often says null. */
function maybe<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

function idsAreUnique(list: readonly { readonly id: string }[], check: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, each] of list.entries()) {
    if (seen.has(each.id))
      check.addIssue({ code: "custom", path: [index, "id"], message: `is used twice: "${each.id}"` });
    seen.add(each.id);
  }
}
