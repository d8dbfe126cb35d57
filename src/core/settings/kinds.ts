import type { z } from "zod";

/** Describes one kind of agent, forge or notifier for the configuration files. */
export interface SettingsKind {
  /** Its name in the files. */
  readonly kind: string;
  /** The keys that this kind owns. */
  readonly settings: z.ZodObject;
  /** The keys of `settings` that name an environment variable with a secret in it. */
  readonly secretKeys: readonly string[];
}

/** The keys of all agent kinds share the section `agents.<name>`, so a key that two kinds use must have the same schema. */
export interface AgentKind extends SettingsKind {
  /** A required key, and what to write there. */
  readonly required?: { readonly key: string; readonly what: string };
  /** Replaces every file path. The paths are relative to the settings file, and a person has to accept the files. */
  readonly mapPaths?: (written: OwnSettings, map: (path: string) => string) => OwnSettings;
}

/** The keys of all forge kinds share the section `forge` with the keys that every forge has. */
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
