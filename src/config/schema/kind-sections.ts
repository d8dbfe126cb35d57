import { z } from "zod";
import type { AgentKind, ForgeKind, NotifierKind, OwnSettings, SettingsKind } from "../../core/settings/kinds.ts";
import { environmentName, text, notifiedKinds, webUrl } from "../../core/settings/values.ts";

/** The sections whose keys depend on which agents, forges and notifiers there are. */

const forgeKeys = z.strictObject({
  url: webUrl.optional().describe("Address of the forge, where it is not the public one."),
  project: text.optional().describe("Path of the project there, such as `team/shop`; default: from the remote."),
  token_env: environmentName
    .optional()
    .describe(
      "Environment variable that holds the token; used by the publishing code alone, unless `improve.publish` is `agent`.",
    ),
  webhook_secret_env: environmentName
    .optional()
    .describe("Environment variable that holds the secret of the forge's webhook; default: none is listened to."),
  reviewer: text.optional().describe("Who is asked to review."),
  assignee: text.optional().describe("Who it is assigned to."),
  labels: z.array(text).max(20).optional().describe("Labels on top of those that Nightshift gives."),
  draft: z.boolean().optional().describe("Open change requests as drafts; default false."),
});

export type WrittenForge = z.infer<typeof forgeKeys> & OwnSettings & { readonly kind: string };

export function forgeSection(forges: readonly ForgeKind[]): z.ZodType<WrittenForge> {
  const kind = z
    .enum([...forges.map((forge) => forge.kind), "none"])
    .describe("Where change requests are opened; `none`: the branch is pushed and that is all.");
  return z.strictObject({ kind, ...forgeKeys.shape, ...ownKeys(forges) });
}

export type WrittenAgent = OwnSettings & { readonly kind?: string | undefined; readonly model?: string | undefined };

export function agentSection(agents: readonly AgentKind[]): z.ZodType<WrittenAgent> {
  const kind = z
    .enum(agents.map((agent) => agent.kind))
    .optional()
    .describe("Which adapter drives it; default: the agent's own name.");
  const model = text.optional().describe("Model for every role that names none.");
  return z.strictObject({ kind, model, ...ownKeys(agents) });
}

const heartbeat = z
  .strictObject({ url: webUrl.describe("Address that is called while the daemon lives.") })
  .optional()
  .describe("A sign of life.");

// Files may have this section already, but nothing sends there yet; see parse/without-effect.ts.
const slack = z
  .strictObject({ channel: text.describe("Channel, such as `#nightshift`."), on: notifiedKinds })
  .optional()
  .describe("Messages in Slack.");

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

/** The keys of all kinds, each optional: a file has only those of the kind that it names. */
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
