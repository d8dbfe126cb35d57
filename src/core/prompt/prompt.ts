import { requireNonce } from "./prompt-blocks.ts";

/** Variables that a template may use, in addition to the user's own. All are static strings. */
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
  "head_commit",
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
  /** Nightshift's own rules. Always first and complete, without variables except `{{nonce}}`, the code of the data markers. */
  readonly preamble: string;
  readonly template: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Rendered sections that follow the template. */
  readonly sections: readonly string[];
  readonly nonce: string;
}

export function renderPrompt({ preamble, template, variables, sections, nonce }: RenderPromptParams): string {
  requireNonce(nonce);
  if (preamble.trim() === "") throw new RangeError("a prompt must not be rendered without preamble");
  const rules = preamble.trim().replaceAll("{{nonce}}", nonce);
  return `${[rules, fillTemplate(template, variables).trim(), ...sections].filter((part) => part !== "").join("\n\n")}\n`;
}

/** Replaces variables in a single pass. Values are not rendered again, unknown names are kept, and nothing is evaluated. */
export function fillTemplate(template: string, variables: Readonly<Record<string, string>>): string {
  return template.replace(VARIABLE, (placeholder, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? placeholder) : placeholder,
  );
}

/** The variables that a template uses, without duplicates. */
export function usedVariables(template: string): readonly string[] {
  return [...new Set(Array.from(template.matchAll(VARIABLE), ([, name]) => name ?? ""))];
}

/** Variables of a template that are neither built in nor in `own`. They would reach the agent unreplaced. */
export function unknownVariables(template: string, own: readonly string[]): readonly string[] {
  const known: ReadonlySet<string> = new Set([...TEMPLATE_VARIABLES, ...own]);
  return usedVariables(template).filter((name) => !known.has(name));
}

/** Splits off the YAML front matter between a first line `---` and the next one. `meta` is empty if there is none. */
export function splitFrontMatter(text: string): { readonly meta: string; readonly body: string } {
  const plain = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const parts = /^---[ \t]*\n((?:(?!---[ \t]*(?:\n|$)).*\n)*)---[ \t]*(?:\n|$)/.exec(plain);
  if (parts === null) return { meta: "", body: plain };
  return { meta: parts[1] ?? "", body: plain.slice(parts[0].length) };
}
