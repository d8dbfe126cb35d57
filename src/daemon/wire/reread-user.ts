import type { ConfigFormat } from "../../config/parse/parse-config.ts";
import { readUserConfig, type UserConfig } from "../../config/files/user-config.ts";
import { ConfigError } from "../../core/text/errors.ts";

interface RereadOptions {
  readonly home: string;
  readonly format: ConfigFormat;
  /** What the daemon started with. */
  readonly user: UserConfig;
}

/** Returns a function that reads config.yaml again. While it is invalid, the function returns the last valid version. */
export function createUserReader({ home, format, user }: RereadOptions): () => Promise<UserConfig> {
  let lastValid = user;
  return async () => {
    try {
      lastValid = await readUserConfig(home, format);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
    }
    return lastValid;
  };
}
