import { z } from "zod";
import type {
  AgentKind,
  ForgeKind,
  NotifierKind,
  OwnSettings,
  SettingsKind,
  SettingsKinds,
} from "../../core/settings/kinds.ts";
import { COMMENT_REACTIONS, OWN_REVIEWS } from "../../core/settings/settings.ts";
import { boundedRecord, environmentName, text, notifiedKinds, webUrl } from "../../core/settings/values.ts";
import { RETENTION_FORM } from "../../core/schedule/duration.ts";
import * as section from "./schema-sections.ts";
import { duration, name, timeZone } from "./schema-sections.ts";

/** Sections whose keys depend on the registered agents, forges and notifiers. */

const forgeKeys = z.strictObject({
  url: webUrl.optional().describe("Base URL of a self-hosted forge; default: the public instance."),
  project: text.optional().describe("Path of the project on the forge, such as `team/shop`; default: taken from the git remote."),
  token_env: environmentName
    .optional()
    .describe(
      "Environment variable with the forge token. Agents never get it unless `improve.publish` is `agent`.",
    ),
  webhook_secret_env: environmentName
    .optional()
    .describe("Environment variable with the secret of the forge's webhook; default: webhooks are off."),
  reviewer: text.optional().describe("User who is requested to review change requests."),
  assignee: text.optional().describe("User to whom change requests are assigned."),
  labels: z.array(text).max(20).optional().describe("Labels to add besides those that Nightshift sets."),
  draft: z.boolean().optional().describe("Open change requests as drafts; default `false`."),
  react: z
    .strictObject({
      ci: z.boolean().optional().describe("Repair a change if CI failed; default `true`."),
      comments: z
        .enum(COMMENT_REACTIONS)
        .optional()
        .describe(
          "Comments of people with write access that start work: those of a review that requests changes (default), `all`, or `off`.",
        ),
      quiet: duration
        .optional()
        .describe("How long people must have paused before their comments start work; default `1m`."),
    })
    .optional()
    .describe("What a task does by itself while it waits for the merge of its change request."),
  reviews: z
    .enum(OWN_REVIEWS)
    .optional()
    .describe(
      "Post the reviews of Nightshift's own change requests on them (default), or `off`. Reviews that you ask for with `nightshift review` are not affected.",
    ),
});

export type WrittenForge = z.infer<typeof forgeKeys> & OwnSettings & { readonly kind: string };

export function forgeSection(forges: readonly ForgeKind[]): z.ZodType<WrittenForge> {
  const kind = z
    .enum([...forges.map((forge) => forge.kind), "none"])
    .describe("Forge that hosts the repository. With `none`, Nightshift only pushes the branch.");
  return z.strictObject({ kind, ...forgeKeys.shape, ...ownKeys(forges) });
}

export type WrittenAgent = OwnSettings & { readonly kind?: string | undefined; readonly model?: string | undefined };

export function agentSection(agents: readonly AgentKind[]): z.ZodType<WrittenAgent> {
  const kind = z
    .enum(agents.map((agent) => agent.kind))
    .optional()
    .describe("Adapter that runs this agent; default: the agent's name.");
  const model = text.optional().describe("Model for roles that do not set `model`.");
  return z.strictObject({ kind, model, ...ownKeys(agents) });
}

const heartbeat = z
  .strictObject({ url: webUrl.describe("URL that the daemon requests every five minutes and after each night.") })
  .optional()
  .describe("Heartbeat for an external monitor.");

// Accepted in files, but not implemented yet; see parse/without-effect.ts.
const slack = z
  .strictObject({ channel: text.describe("Slack channel, such as `#nightshift`."), on: notifiedKinds })
  .optional()
  .describe("Notifications in Slack.");

export type WrittenNotify = Readonly<Record<string, OwnSettings | undefined>> & {
  readonly heartbeat?: z.infer<typeof heartbeat>;
};

export function notifySection(notifiers: readonly NotifierKind[]): z.ZodType<WrittenNotify> {
  const channels = notifiers.map(({ kind, settings, summary }) => {
    const channel: z.ZodType = settings.strict().optional().describe(summary);
    return [kind, channel] as const;
  });
  return z.strictObject({ ...Object.fromEntries(channels), slack, heartbeat });
}

/** Merges the keys of all kinds. All are optional, because a file sets only those of its own kind. */
function ownKeys(kinds: readonly SettingsKind[]): Record<string, z.ZodType> {
  const found: Record<string, z.core.$ZodType> = {};
  for (const { kind, settings } of kinds)
    for (const [key, schema] of Object.entries(settings.shape)) {
      if (found[key] !== undefined && found[key] !== schema)
        throw new TypeError(`The kind ${kind} defines the settings key ${key} differently from another kind.`);
      found[key] = schema;
    }
  return Object.fromEntries(Object.entries(found).map(([key, schema]) => [key, z.optional(schema)]));
}

const sharedKeys = (kinds: SettingsKinds) => ({
  project: name.optional().describe("Name of the project; default: the name of its folder. Ignored in config.yaml."),
  default_branch: text
    .optional()
    .describe("Branch that tasks start from and merge into; default: the remote's HEAD."),
  time_zone: timeZone.optional().describe("IANA time zone for nights and schedules; default: the time zone of the machine."),
  forge: forgeSection(kinds.forges)
    .optional()
    .describe("Forge on which to open change requests; default: none, Nightshift only pushes the branch."),
  agent: name.optional().describe("Agent for all roles that do not set one; default `claude-code`."),
  fallback_agent: name.optional().describe("Agent to switch to when the first one has used up its quota."),
  agents: boundedRecord(name, agentSection(kinds.agents), 50)
    .optional()
    .describe("Settings of built-in agents and definitions of your own, by name."),
  roles: section.roleSections.optional().describe("Agent, model, limits, tools and prompt for each role."),
  checks: boundedRecord(name, section.check, 100)
    .optional()
    .describe("Commands that check a change, by name. The check `no-secrets` is built in."),
  fail_on_warning: z.boolean().optional().describe("Treat check warnings as errors; default `false`."),
  repair_attempts: z
    .int()
    .min(0)
    .max(20)
    .optional()
    .describe("How many times an agent may try to fix failed checks; default 3."),
  workspace: section.workspace.optional().describe("Checkouts in which agents work."),
  secrets: boundedRecord(environmentName, section.secret, 100)
    .optional()
    .describe("Environment variables to pass to agents; default: none."),
  mcp: boundedRecord(section.mcpName, section.mcpServer, 20)
    .optional()
    .describe("MCP servers whose tools the plan of a staged task can give to its agent, by name; default: none."),
  budget: section.budget.optional().describe("Limits on cost."),
  limits: section.limits.optional().describe("Limits on time and on the number of runs and change requests."),
  gates: section.gates.optional().describe("Decisions that need a person."),
  commit_trailer: z.string().max(500).optional().describe("Line to append to commit messages; default: none."),
  improve: section.improve.optional().describe("Settings of nightly improvement."),
  schedules: z.array(section.schedule).max(100).optional().describe("Other recurring tasks."),
  notify: notifySection(kinds.notifiers).optional().describe("Channels for notifications."),
});

const sandboxMode = z
  .enum(["enforce", "external", "none"])
  .optional()
  .describe("`enforce` (default), `external` (you run Nightshift inside your own sandbox) or `none`; config.yaml only.");

/** Creates the schemas of both files, with the sections of these agents, forges and notifiers. */
export function createSchemas(kinds: SettingsKinds) {
  const shared = sharedKeys(kinds);
  return {
    /** `nightshift.yaml`, in each project. */
    project: z.strictObject({
      ...shared,
      sandbox: z.strictObject(section.sandboxLists).optional().describe("Sandbox in which agents run."),
    }),
    /** `config.yaml`, the user's file: defaults and upper limits for all projects. */
    user: z.strictObject({
      ...shared,
      sandbox: z
        .strictObject({
          mode: sandboxMode,
          ...section.sandboxLists,
          private_hosts: section.privateHosts
            .optional()
            .describe(
              "Hosts with a private address that agents may connect to if `sandbox.network` lists them: exactly `host:port`; config.yaml only.",
            ),
        })
        .optional()
        .describe("Sandbox in which agents run."),
      prices: section.prices
        .optional()
        .describe(
          "Prices that override the built-in table, by model ID or by a prefix followed by `*`; config.yaml only.",
        ),
      auto_approve: section.autoApprove
        .optional()
        .describe("Staged plans for which `--auto-approve` may skip a person; default: all without problems; config.yaml only."),
      use_own_login: z
        .boolean()
        .optional()
        .describe(
          "Use your own login of `gh`, `glab` or git's credential helpers at a forge whose token variable is not set; default `true`; config.yaml only.",
        ),
      retention: z
        .string()
        .max(5)
        .regex(/^[1-9][0-9]{0,3}d$/, { error: RETENTION_FORM })
        .optional()
        .describe("How long to keep transcripts and logs of ended tasks, such as `30d`; default: for ever; config.yaml only."),
      report: section.report
        .optional()
        .describe("When the report of the night is sent, in `time_zone`; default: `07:00`; config.yaml only."),
      server: section.server.optional().describe("Where the daemon listens; config.yaml only."),
      database: text.optional().describe("URL of a `postgres://` database; default: the SQLite file in the home folder; config.yaml only."),
    }),
  };
}

/** Keys that only config.yaml may set: a cloned repository must not choose its own sandbox mode or database. */
export const USER_ONLY_KEYS: readonly string[] = [
  "auto_approve",
  "auto_approve.directories",
  "auto_approve.max_usd",
  "auto_approve.read_only",
  "database",
  "prices", "report", "report.at", "retention", "sandbox.mode", "sandbox.private_hosts", "server", "server.host", "server.port", "server.public_url", "use_own_login"];

type Schemas = ReturnType<typeof createSchemas>;

/** The files as written; resolve-settings.ts turns them into Settings. */
export type ProjectWritten = z.infer<Schemas["project"]>;
export type UserWritten = z.infer<Schemas["user"]>;
