import type { NotifierKind, OwnSettings } from "../../core/settings/kinds.ts";
import type { Notifier } from "../../ports/notifier.ts";
import type { Environment } from "./shared/read-secret.ts";

/**
 * Everything that Nightshift knows about one kind of notifier. If its settings have the key `on` (`toldKinds`), it gets only
 * the notices of those kinds, otherwise all.
 */
export interface NotifierDefinition extends NotifierKind {
  /** True: it hears only of nights that ended, not of single tasks. */
  readonly isNightLog: boolean;
  create(channel: ChannelContext & { readonly timeZone: string }): Notifier;
  /** For `doctor`: what is fine about the channel. Throws what is not. */
  check(channel: ChannelContext): Promise<string>;
  /** What it gets, for the table in docs/notifications.md. */
  readonly docs: string;
}

/** One channel as it is set up. */
export interface ChannelContext {
  readonly settings: OwnSettings;
  readonly env: Environment;
  /** How long the other side may take to answer. */
  readonly timeoutMs?: number;
}
