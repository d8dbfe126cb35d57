import type { SettingsListener } from "../../config/files/project-files.ts";
import { listSecretNames } from "../../core/settings/list-secret-names.ts";
import { passwordsIn } from "../../policy/secrets/secret-names.ts";
import type { KnownSecrets } from "../known-secrets.ts";
import type { Registry } from "./registry.ts";
import type { Channels } from "./wire-notifiers.ts";

export interface SettingsConsumers {
  readonly registry: Registry;
  readonly secrets: Pick<KnownSecrets, "add" | "addVariables">;
  readonly channels: Pick<Channels, "update">;
}

/** Returns a listener that redacts the secrets named in new settings and updates the channels, before the settings are used. */
export function registerSettings({ registry, secrets, channels }: SettingsConsumers): SettingsListener {
  return (project, settings) => {
    channels.update(project, settings);
    if (settings === null) return;
    secrets.addVariables(listSecretNames(registry, settings));
    for (const value of passwordsIn(project.remote ?? ""))
      secrets.add({ name: `password of ${project.name}'s remote`, value });
  };
}
