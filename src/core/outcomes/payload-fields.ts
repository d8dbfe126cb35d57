import { z } from "zod";

// The outcome file holds a megabyte at most; these limits keep one field from filling pages, prompts and messages.
const LONG = 100_000;
const SHORT = 1_000;

export const text = z.string().regex(/\S/, "must not be blank").max(LONG);
export const line = z.string().regex(/\S/, "must not be blank").max(SHORT);
export const anyText = z.string().max(LONG);
export const path = z.string().min(1).max(4_096);
/** People type ids in `nightshift answer <task> <id>=…`, so they hold nothing a shell or the `=` would trip over. */
const id = z
  .string()
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
export const options = z.array(option).min(1).max(20).superRefine(idsAreUnique);

const question = z
  .object({
    id,
    question: text,
    context: maybe(text),
    input: z.enum(["text", "choice", "boolean"]),
    options: maybe(z.array(line).max(20)),
    default: maybe(z.union([anyText, z.boolean()])),
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
export type ReportedQuestion = z.output<typeof question>;
export const questions = z.array(question).min(1).max(5).superRefine(idsAreUnique);

/** A model that has nothing to say often says null. */
export function maybe<Schema extends z.ZodType>(schema: Schema) {
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
