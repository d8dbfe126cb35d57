import { endingOf, readStoredKeys } from "../config/files/stored-keys.ts";
import type { KeyInfo } from "../http/deps.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface ListKeysParams {
  readonly home: string;
  /** The environment that the daemon was started with, without the stored keys. */
  readonly env: Environment;
  /** Variables that Nightshift looks for: keys of model providers, and names in settings. */
  readonly names: readonly string[];
}

/** Lists the stored keys, and the wanted ones that only the daemon's environment has. Contains no values. */
export function listKeys({ home, env, names }: ListKeysParams): readonly KeyInfo[] {
  const stored = readStoredKeys(home);
  const isSet = (name: string): boolean => (env[name] ?? "").trim() !== "";
  const keys = [
    ...Object.entries(stored).map(([name, { value, added_at: addedAt }]): KeyInfo => ({
      name,
      source: "stored",
      ending: endingOf(value),
      addedAt,
      replacesEnvironment: isSet(name),
    })),
    ...[...new Set(names)]
      .filter((name) => isSet(name) && !Object.hasOwn(stored, name))
      .map((name): KeyInfo => ({
        name,
        source: "environment",
        ending: endingOf(env[name]?.trim() ?? ""),
        addedAt: null,
        replacesEnvironment: false,
      })),
  ];
  return keys.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
