import { z } from "zod";
import { ConfigError, type Issue } from "../../core/text/errors.ts";
import { splitFrontMatter } from "../../core/prompt/prompt.ts";
import { ROLES, type Role } from "../../core/task/role.ts";
import { parseWritten, type ParsedConfig } from "../parse/parse-config.ts";
import { parseOnce } from "../parse/parse-once.ts";
import type { KeyPath } from "../parse/parse-yaml.ts";
import { role } from "../schema/schema-sections.ts";
import type { UserWritten } from "../schema/schema.ts";

/** Allowed keys in the front matter of a role's prompt. */
const frontMatter = role
  .pick({
    agent: true,
    model: true,
    timeout: true,
    idle_timeout: true,
    max_turns: true,
    max_budget_usd: true,
    tools: true,
  })
  .extend({ role: z.enum(ROLES).optional() });

/** A parsed prompt file of a role. */
export interface PromptFile {
  readonly front: ParsedConfig<z.infer<typeof frontMatter>>;
  readonly body: string;
}

/** Throws ConfigError with all problems. */
export function readPromptFile(text: string, file: string, of: Role): PromptFile {
  const parsed = parsePromptFile(text, file);
  const named = parsed.front.written.role;
  if (named === undefined || named === of) return parsed;
  const message = `found \`${named}\`, but this file is the prompt of \`${of}\`; write that, or remove the key`;
  throw new ConfigError([parsed.front.issue(["role"], message)]);
}

const parsePromptFile = parseOnce((text, file): PromptFile => {
  const { meta, body } = splitFrontMatter(text);
  if (meta === "" && hasUnterminatedFrontMatter(body)) {
    const message =
      "starts with `---`, but no second line `---` ends the front matter; add one, or remove the first line";
    throw new ConfigError([{ file, line: 1, column: 1, key: "", message }]);
  }
  // The empty line replaces the first `---`, so that line numbers match the file.
  return { front: parseWritten(frontMatter, `\n${meta}`, file), body };
});

/** Without this check, unterminated front matter would become part of the prompt. */
function hasUnterminatedFrontMatter(body: string): boolean {
  return /^---[ \t]*(?:\n|$)/.test(body);
}

export type PromptFiles = ReadonlyMap<Role, PromptFile>;

/** Adds the front matter of prompts to the settings of the same layer. The settings take precedence. */
export function layBelow<T extends UserWritten>(settings: ParsedConfig<T>, prompts: PromptFiles): ParsedConfig<T> {
  if (prompts.size === 0) return settings;
  const { file, written } = settings;
  const roles = { ...written.roles };
  const issues = new Map<string, ParsedConfig<unknown>["issue"]>();
  for (const [name, { front }] of prompts) {
    const below = belowOf(front.written, roles[name]);
    for (const key of Object.keys(below))
      issues.set(`roles.${name}.${key}`, (_, message) => front.issue([key], message));
    roles[name] = { ...below, ...roles[name] };
  }
  const issue = (path: KeyPath, message: string): Issue =>
    (issues.get(path.join(".")) ?? settings.issue)(path, message);
  return { file, written: { ...written, roles }, issue };
}

type WrittenRole = NonNullable<NonNullable<UserWritten["roles"]>[Role]>;

function belowOf(front: z.infer<typeof frontMatter>, above: WrittenRole = {}): WrittenRole {
  const { role: _, ...rest } = front;
  const below = Object.entries(rest).filter(([key]) => !Object.hasOwn(above, key));
  // If the settings choose another agent for the role, the model in the front matter does not apply to it.
  const switches = above.agent !== undefined && above.agent !== front.agent;
  return Object.fromEntries(switches ? below.filter(([key]) => key !== "model") : below);
}
