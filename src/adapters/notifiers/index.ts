import { confluenceNotifier } from "./confluence/definition.ts";
import type { NotifierDefinition } from "./definition.ts";
import { ntfyNotifier } from "./ntfy/definition.ts";
import { webhookNotifier } from "./webhook/definition.ts";

/** All notifiers that can be configured under `notify`. */
export const NOTIFIERS: readonly NotifierDefinition[] = [ntfyNotifier, webhookNotifier, confluenceNotifier];
