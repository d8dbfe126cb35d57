import { z } from "zod";
import type { AgentKind, ForgeKind, NotifierKind, OwnSettings, SettingsKind } from "../../core/settings/kinds.ts";
import { environmentName, text, notifiedKinds, webUrl } from "../../core/settings/values.ts";

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
    const section: z.ZodType = settings.strict().optional().describe(summary);
    return [kind, section] as const;
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
