import type { SettingsListener } from "../../config/files/project-files.ts";
import { listSecretNames } from "../../core/settings/list-secret-names.ts";
import { passwordsIn } from "../../policy/secrets/secret-names.ts";
import type { KnownSecrets } from "../known-secrets.ts";
import type { Registry } from "./registry.ts";
import type { Channels } from "./wire-notifiers.ts";

export interface SettingsConsumers {
  readonly registry: Registry;
  readonly secrets: Pick<KnownSecrets, "hold" | "holdVariables">;
  readonly channels: Pick<Channels, "update">;
}

/**
 * Keeps the daemon's knowledge in step with the settings: the secrets that they name are redacted, and their channels are
 * told, from the moment that anybody can use these settings.
 */
export function registerSettings({ registry, secrets, channels }: SettingsConsumers): SettingsListener {
  return (project, settings) => {
    channels.update(project, settings);
    if (settings === null) return;
    secrets.holdVariables(listSecretNames(registry, settings));
    for (const value of passwordsIn(project.remote ?? ""))
      secrets.hold({ name: `password of ${project.name}'s remote`, value });
  };
}
