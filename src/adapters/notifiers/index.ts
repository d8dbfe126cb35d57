import { confluenceNotifier } from "./confluence/definition.ts";
import type { NotifierDefinition } from "./definition.ts";
import { ntfyNotifier } from "./ntfy/definition.ts";
import { webhookNotifier } from "./webhook/definition.ts";

/** Every kind of notifier that a project can set up under `notify`. */
export const NOTIFIERS: readonly NotifierDefinition[] = [ntfyNotifier, webhookNotifier, confluenceNotifier];
