import { openLoopbackForge, type LoopbackForge, type LoopbackParams } from "../../src/testing/forges/loopback-forge.ts";
import type { Night } from "./night.ts";
import { openStagedNight, type StagedOptions } from "./staged-night.ts";

export const TOKEN = "ghp-planted-token-of-the-forge";

export interface StagedForge {
  readonly night: Night;
  readonly forge: LoopbackForge;
  close(): Promise<void>;
}

/** A night for staged tasks whose project is hosted at a forge on this machine. */
export async function openStagedForge(
  options: Pick<LoopbackParams, "kind"> & Omit<StagedOptions, "repo" | "remote" | "env">,
): Promise<StagedForge> {
  const { kind, ...rest } = options;
  const forge = await openLoopbackForge({ kind, token: TOKEN, files: { "greeting.txt": "hello\n" } });
  const night = await openStagedNight({
    ...rest,
    repo: forge.repo,
    remote: forge.remoteUrl,
    env: { ...process.env, FORGE_TOKEN: TOKEN },
    settings: `forge: { kind: ${kind}, url: "${forge.url}", project: ${forge.project}, token_env: FORGE_TOKEN }\n`,
  });
  return {
    night,
    forge,
    async close() {
      await night.close();
      await forge.close();
    },
  };
}
