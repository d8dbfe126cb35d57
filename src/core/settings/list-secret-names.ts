import type { Settings } from "./settings.ts";
import type { OwnSettings, SettingsKind, SettingsKinds } from "./kinds.ts";

export type SecretSources = Pick<Settings, "secrets" | "agents" | "forge" | "notify">;

/** The environment variables that hold secrets according to the settings. */
export function listSecretNames(kinds: SettingsKinds, { secrets, agents, forge, notify }: SecretSources): string[] {
  const names: unknown[] = [
    ...Object.keys(secrets),
    ...Object.values(agents).flatMap(({ kind, options }) => namesIn(kinds.agents, kind, options)),
    ...(forge === null ? [] : [forge.tokenEnv, forge.webhookSecretEnv]),
    ...(forge === null ? [] : namesIn(kinds.forges, forge.kind, forge.options)),
    ...Object.entries(notify.channels).flatMap(([kind, settings]) => namesIn(kinds.notifiers, kind, settings)),
  ];
  return [...new Set(names.filter((name) => typeof name === "string"))];
}

function namesIn(kinds: readonly SettingsKind[], wanted: string, settings: OwnSettings): unknown[] {
  const found = kinds.find(({ kind }) => kind === wanted);
  return (found?.secretKeys ?? []).map((key) => settings[key]);
}
