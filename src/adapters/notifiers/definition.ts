import type { NotifierKind, OwnSettings } from "../../core/settings/kinds.ts";
import type { Notifier } from "../../ports/notifier.ts";
import type { Environment } from "./shared/read-secret.ts";

/**
 * Describes one kind of notifier. If its settings have the key `on` (`notifiedKinds`), it gets only the notices of those
 * kinds, otherwise all.
 */
export interface NotifierDefinition extends NotifierKind {
  /** True if it gets only finished nights, not single tasks. */
  readonly isNightLog: boolean;
  create(channel: ChannelContext & { readonly timeZone: string }): Notifier;
  /** For `doctor`. Returns a success message, or throws the problem. */
  check(channel: ChannelContext): Promise<string>;
  /** Text for the table in docs/notifications.md. */
  readonly docs: string;
}

/** The settings of one channel. */
export interface ChannelContext<Settings = OwnSettings> {
  readonly settings: Settings;
  readonly env: Environment;
  readonly timeoutMs?: number;
}
