import { DeliveryError } from "../../../core/notices/notice-delivery.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable that the settings name by `key`; null where they name none. */
export function readSecret(env: Environment, name: string | undefined, key: string): string | null {
  if (name === undefined) return null;
  const value = (env[name] ?? "").trim();
  if (value !== "") return value;
  throw new DeliveryError(
    `${name} is not set where the daemon was started; ${key} names it: set it there and start the daemon again`,
  );
}
