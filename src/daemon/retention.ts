import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { homePaths } from "../config/files/paths.ts";
import { readUserConfig } from "../config/files/user-config.ts";
import type { ConfigFormat } from "../config/parse/parse-config.ts";
import type { Retention } from "../engine/ports.ts";

/** Reads config.yaml each time, so that a change takes effect without a restart. */
export function createRetention(home: string, format: ConfigFormat): Retention {
  const { logs } = homePaths(home);
  return {
    readMs: async () => (await readUserConfig(home, format)).retentionMs,
    async removeLogs(before) {
      // Files are named by their day in UTC. The other logs, such as nights.jsonl, are small and stay.
      const oldest = `${new Date(before).toISOString().slice(0, 10)}.jsonl`;
      for (const name of await readdir(logs))
        if (/^\d{4}-\d{2}-\d{2}\.jsonl$/.test(name) && name < oldest) await rm(join(logs, name), { force: true });
    },
  };
}
