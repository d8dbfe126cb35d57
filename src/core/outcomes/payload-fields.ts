import { z } from "zod";

// The outcome file is limited to a megabyte. These limits keep a single field from filling pages, prompts and messages.
const MAX_TEXT = 100_000;
const MAX_LINE = 1_000;

export const text = z.string().regex(/\S/, "must not be blank").max(MAX_TEXT);
export const line = z.string().regex(/\S/, "must not be blank").max(MAX_LINE);
export const anyText = z.string().max(MAX_TEXT);
export const path = z.string().min(1).max(4_096);
/** People type ids in `nightshift answer <task> <id>=…`, so they contain no `=` and nothing special to a shell. */
const id = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "must be 1 to 64 letters, digits, dots, dashes or underscores")
  .describe("1 to 64 letters, digits, dots, dashes or underscores");
export const lines = z.array(line).max(100);
export const paths = z.array(path).max(1_000);
const textOrLines = z.union([text, lines]);
export const summary = maybe(text);
export const subtasks = lines.nullish().transform((list) => list ?? []);

const option = z.object({
  id,
  title: line,
  description: text,
  pros: maybe(textOrLines),
  cons: maybe(textOrLines),
  recommended: maybe(z.boolean()),
});
export type ReportedOption = z.output<typeof option>;
export const options = z.array(option).min(1).max(20).superRefine(requireUniqueIds);

const question = z
  .object({
    id,
    question: text,
    context: maybe(text),
    input: z.enum(["text", "choice", "boolean"]),
    options: maybe(z.array(line).max(20)),
    default: maybe(z.union([anyText, z.boolean()])),
    deadline: maybe(z.iso.datetime({ offset: true }).max(40)),
  })
  .superRefine((value, context) => {
    const choices = value.options ?? [];
    if (value.input === "choice" && new Set(choices).size < 2) {
      context.addIssue({
        code: "custom",
        path: ["options"],
        message: 'must contain at least two different answers when "input" is "choice"',
      });
    }
    if (value.input === "choice" && value.default !== undefined && !choices.includes(String(value.default))) {
      context.addIssue({ code: "custom", path: ["default"], message: 'must be one of "options"' });
    }
    if (value.deadline !== undefined && value.default === undefined) {
      context.addIssue({
        code: "custom",
        path: ["deadline"],
        message: 'needs a "default", which is used after the deadline',
      });
    }
  });
export type ReportedQuestion = z.output<typeof question>;
export const questions = z.array(question).min(1).max(5).superRefine(requireUniqueIds);

/** An optional value that may also be null, because models often write null instead of leaving a key out. */
export function maybe<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

function requireUniqueIds(list: readonly { readonly id: string }[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, each] of list.entries()) {
    if (seen.has(each.id))
      context.addIssue({ code: "custom", path: [index, "id"], message: `is used twice: "${each.id}"` });
    seen.add(each.id);
  }
}
