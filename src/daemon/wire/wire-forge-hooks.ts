import type { ForgeDefinition } from "../../adapters/forges/definition.ts";
import { ConfigError } from "../../core/text/errors.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { EnginePorts } from "../../engine/ports.ts";
import type { HookCall } from "../../ports/forge.ts";

/** Null if the project has no webhook. */
type VerifyHook = (project: string, call: HookCall) => Promise<"accepted" | "rejected" | null>;

/** Verifies webhook calls. The secret does not leave this function, and an accepted call only triggers a poll of the forge. */
export function createHookVerifier(
  forges: readonly ForgeDefinition[],
  ports: Pick<EnginePorts, "store" | "projects" | "host">,
  pollForge: (project: string) => void,
): VerifyHook {
  return async (name, call) => {
    const forge = await readForgeSettings(ports, name);
    const definition = forges.find(({ kind }) => kind === forge?.kind);
    if (definition === undefined || forge === null || forge.webhookSecretEnv === null) return null;
    const secret = ports.host.env[forge.webhookSecretEnv]?.trim() ?? "";
    if (secret === "") return null;
    if (!(await definition.isFromForge(secret, call))) return "rejected";
    pollForge(name);
    return "accepted";
  };
}

/** Null if the project's files were never valid; `doctor` reports those. */
async function readForgeSettings({ store, projects }: Pick<EnginePorts, "store" | "projects">, name: string) {
  const project = await store.projects.getProject(name);
  if (project === null) return null;
  const settings = await projects.lastGood(project).catch((error: unknown): Pick<Settings, "forge"> => {
    if (error instanceof ConfigError) return { forge: null };
    throw error;
  });
  return settings.forge;
}
