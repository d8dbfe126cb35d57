import { requireNonce } from "./prompt-blocks.ts";

/** The names a template may use; the user's own come on top. All are static strings. */
export const TEMPLATE_VARIABLES = [
  "task_id",
  "task_title",
  "task_description",
  "task_url",
  "category",
  "category_label",
  "category_guidance",
  "date",
  "repo_url",
  "default_branch",
  "base_commit",
  "project",
  "reviewer",
  "max_diff_lines",
  "avoid_recent_commits",
  "commands",
  "analysis",
  "plan",
  "plan_comments",
  "subtasks",
  "errors",
  "checks",
  "diff",
  "prior_review",
  "related_task",
  "conversation",
  "context",
  "instructions",
  "outcomes",
  "outcome_file",
] as const;
export type TemplateVariable = (typeof TEMPLATE_VARIABLES)[number];

const VARIABLE = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}/g;

export interface RenderPromptParams {
  /** Nightshift's own rules. Always first, whole, and never touched by a variable; `{{nonce}}` in it names the marks of data. */
  readonly preamble: string;
  readonly template: string;
  readonly variables: Readonly<Record<string, string>>;
  /** What follows the template, already rendered. */
  readonly sections: readonly string[];
  readonly nonce: string;
}

export function renderPrompt({ preamble, template, variables, sections, nonce }: RenderPromptParams): string {
  requireNonce(nonce);
  if (preamble.trim() === "") throw new RangeError("a prompt without preamble is never rendered");
  const rules = preamble.trim().replaceAll("{{nonce}}", nonce);
  return `${[rules, fillTemplate(template, variables).trim(), ...sections].filter((part) => part !== "").join("\n\n")}\n`;
}

/** One pass: a value is never looked at again, a name that is not in the map stays as it is, nothing is evaluated. */
export function fillTemplate(template: string, variables: Readonly<Record<string, string>>): string {
  return template.replace(VARIABLE, (placeholder, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? placeholder) : placeholder,
  );
}

/** The names a template uses, each once. */
export function usedVariables(template: string): readonly string[] {
  return [...new Set(Array.from(template.matchAll(VARIABLE), ([, name]) => name ?? ""))];
}

/** The names of a template that are neither ours nor the user's `own`: they would reach the agent as they stand. */
export function unknownVariables(template: string, own: readonly string[]): readonly string[] {
  const known: ReadonlySet<string> = new Set([...TEMPLATE_VARIABLES, ...own]);
  return usedVariables(template).filter((name) => !known.has(name));
}

/** Cuts off what stands between a first line `---` and the next one; `meta` is its YAML, empty where there is none. */
export function splitFrontMatter(text: string): { readonly meta: string; readonly body: string } {
  const plain = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const parts = /^---[ \t]*\n((?:(?!---[ \t]*(?:\n|$)).*\n)*)---[ \t]*(?:\n|$)/.exec(plain);
  if (parts === null) return { meta: "", body: plain };
  return { meta: parts[1] ?? "", body: plain.slice(parts[0].length) };
}
