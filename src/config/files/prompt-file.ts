import { z } from "zod";
import { ConfigError, type Issue } from "../../core/text/errors.ts";
import { splitFrontMatter } from "../../core/prompt/prompt.ts";
import { ROLES, type Role } from "../../core/task/role.ts";
import { parseWritten, type ParsedConfig } from "../parse/parse-config.ts";
import { parseOnce } from "../parse/parse-once.ts";
import type { KeyPath } from "../parse/parse-yaml.ts";
import { role } from "../schema/schema-sections.ts";
import type { UserWritten } from "../schema/schema.ts";

/** What may stand between the two lines `---` at the head of a role's prompt. */
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

/** A role's prompt as people write it. */
export interface PromptFile {
  readonly front: ParsedConfig<z.infer<typeof frontMatter>>;
  readonly body: string;
}

/** Throws ConfigError with every problem. */
export function readPromptFile(text: string, file: string, of: Role): PromptFile {
  const parsed = parsePromptFile(text, file);
  const named = parsed.front.written.role;
  if (named === undefined || named === of) return parsed;
  const message = `found \`${named}\`; this file is the prompt of \`${of}\`: write that, or leave the key out`;
  throw new ConfigError([parsed.front.issue(["role"], message)]);
}

const parsePromptFile = parseOnce((text, file): PromptFile => {
  const { meta, body } = splitFrontMatter(text);
  if (meta === "" && isLeftOpen(body)) {
    const message = "begins with `---`, and no second line `---` ends its head; add one, or leave the first line out";
    throw new ConfigError([{ file, line: 1, column: 1, key: "", message }]);
  }
  // The empty line stands for the `---` above, so that lines are counted as in the file.
  return { front: parseWritten(frontMatter, `\n${meta}`, file), body };
});

/** What was meant as settings would reach the agent as words. */
function isLeftOpen(body: string): boolean {
  return /^---[ \t]*(?:\n|$)/.test(body);
}

export type PromptFiles = ReadonlyMap<Role, PromptFile>;

/** Puts what prompts say of their roles below what the settings of the same hand say. */
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
  // Whoever names another agent for the role does not mean the model that stands beside the first one.
  const switches = above.agent !== undefined && above.agent !== front.agent;
  return Object.fromEntries(switches ? below.filter(([key]) => key !== "model") : below);
}
