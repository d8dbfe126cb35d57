import { z } from "zod";
import type { SettingsKinds } from "../../core/settings/kinds.ts";
import { environmentName, text } from "../../core/settings/values.ts";
import { agentSection, forgeSection, notifySection } from "./kind-sections.ts";
import * as section from "./schema-sections.ts";
import { name, timeZone } from "./schema-values.ts";

const sharedKeys = (kinds: SettingsKinds) => ({
  project: name.optional().describe("Name of the project; default: the folder's name. Without effect in config.yaml."),
  default_branch: text
    .optional()
    .describe("Branch that work starts from and goes back to; default: the remote's HEAD."),
  time_zone: timeZone.optional().describe("Zone of nights and schedules; default: the machine's."),
  forge: forgeSection(kinds.forges)
    .optional()
    .describe("Where change requests are opened; without it the branch is pushed and that is all."),
  agent: name.optional().describe("Default agent; default `claude-code`."),
  fallback_agent: name.optional().describe("Agent that takes over when the first one has used up its quota."),
  agents: z
    .record(name, agentSection(kinds.agents))
    .optional()
    .describe("Agents by name: settings of the built-in ones, and your own."),
  roles: section.roleSections.optional().describe("Per role: agent, model, limits, tools, prompt."),
  checks: z
    .record(name, section.check)
    .optional()
    .describe("Commands that judge a change, by name; `no-secrets` is always there."),
  fail_on_warning: z.boolean().optional().describe("Warnings of checks fail the change too; default false."),
  repair_attempts: z
    .int()
    .min(0)
    .max(20)
    .optional()
    .describe("How often an agent may repair failed checks; default 3."),
  workspace: section.workspace.optional().describe("Where agents work."),
  secrets: z
    .record(environmentName, section.secret)
    .optional()
    .describe("Environment variables handed to agents; nothing else is."),
  mcp: z.record(name, section.mcpServer).optional().describe("MCP servers for agents, by name; none unless named."),
  budget: section.budget.optional().describe("Limits of money."),
  limits: section.limits.optional().describe("Limits of time and number."),
  gates: section.gates.optional().describe("Where a person decides."),
  commit_trailer: z.string().max(500).optional().describe("Line added to commit messages; default: none."),
  improve: section.improve.optional().describe("The nightly improvement."),
  schedules: z.array(section.schedule).max(100).optional().describe("Other recurring work."),
  notify: notifySection(kinds.notifiers).optional().describe("Channels to people."),
});

const sandboxMode = z
  .enum(["enforce", "external", "none"])
  .optional()
  .describe("`enforce` (default), `external` (you built the wall yourself) or `none`; config.yaml only.");

/** The schemas of both files, with the sections of these agents, forges and notifiers. */
export function createSchemas(kinds: SettingsKinds) {
  const shared = sharedKeys(kinds);
  return {
    /** `nightshift.yaml`: the project's. */
    project: z.strictObject({
      ...shared,
      sandbox: z.strictObject(section.sandboxLists).optional().describe("The wall around agents."),
    }),
    /** `config.yaml`: the user's, defaults and ceiling for all projects. */
    user: z.strictObject({
      ...shared,
      sandbox: z
        .strictObject({ mode: sandboxMode, ...section.sandboxLists })
        .optional()
        .describe("The wall around agents."),
      prices: section.prices
        .optional()
        .describe(
          "What models cost, by their id or its beginning and `*`, where the shipped table does not fit; config.yaml only.",
        ),
      database: text.optional().describe("`postgres://…`; default: the SQLite file; config.yaml only."),
    }),
  };
}

/** What only config.yaml may say: a clone must not choose its own wall or database. */
export const USER_ONLY_KEYS: readonly string[] = ["database", "prices", "sandbox.mode"];

type Schemas = ReturnType<typeof createSchemas>;

/** The written shapes, exactly as in the files; resolve-settings.ts makes Settings of them. */
export type ProjectWritten = z.infer<Schemas["project"]>;
export type UserWritten = z.infer<Schemas["user"]>;
