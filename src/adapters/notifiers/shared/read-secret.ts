import { DeliveryError } from "../../../core/notices/notice-delivery.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the value of the environment variable, or null if the setting `key` names none. */
export function readSecret(env: Environment, name: string | undefined, key: string): string | null {
  if (name === undefined) return null;
  const value = (env[name] ?? "").trim();
  if (value !== "") return value;
  throw new DeliveryError(`${name} is not set in the daemon's environment (see ${key}); set it and restart the daemon`);
}
