import type { z } from "zod";

/** What the configuration files need to know about one kind of agent, forge or notifier. */
export interface SettingsKind {
  /** Its name in the files. */
  readonly kind: string;
  /** The keys that this kind owns. */
  readonly settings: z.ZodObject;
  /** The keys of `settings` that name an environment variable with a secret in it. */
  readonly secretKeys: readonly string[];
}

/** The keys of all agents stand side by side in `agents.<name>`, so two kinds may share a key only by the same schema. */
export interface AgentKind extends SettingsKind {
  /** A key that an agent of this kind cannot do without, and what to write there. */
  readonly required?: { readonly key: string; readonly what: string };
  /** Replaces every path to a file. Such files are found relative to the settings, and a person has to accept them. */
  readonly mapPaths?: (written: OwnSettings, map: (path: string) => string) => OwnSettings;
}

/** The keys of all forges stand side by side in `forge`, next to those that every forge has. */
export interface ForgeKind extends SettingsKind {
  /** The variable that holds the token unless `forge.token_env` names another one. */
  readonly tokenEnv: string;
}

/** A notifier owns the whole section `notify.<kind>`. */
export interface NotifierKind extends SettingsKind {
  /** Describes the section in editors and docs. */
  readonly summary: string;
}

/** Values of the keys that a kind owns, as written in the files. */
export type OwnSettings = Readonly<Record<string, unknown>>;

/** Every kind that the configuration files may name. */
export interface SettingsKinds {
  readonly agents: readonly AgentKind[];
  readonly forges: readonly ForgeKind[];
  readonly notifiers: readonly NotifierKind[];
}

/** Only the keys that the kind owns. */
export function pickOwn({ settings }: SettingsKind, written: OwnSettings): OwnSettings {
  return Object.fromEntries(Object.entries(written).filter(([key]) => Object.hasOwn(settings.shape, key)));
}
