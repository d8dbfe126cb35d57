import type { ForgeDefinition } from "../../adapters/forges/definition.ts";
import { ConfigError } from "../../core/text/errors.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { EnginePorts } from "../../engine/ports.ts";
import type { HookCall } from "../../ports/forge.ts";

/** Null: nobody set up a webhook for such a project. */
type JudgeHook = (project: string, call: HookCall) => Promise<"taken" | "refused" | null>;

/** The secret is looked up here and goes no further. All that a call can bring about is a look at the forge. */
export function createHookVerifier(
  forges: readonly ForgeDefinition[],
  ports: Pick<EnginePorts, "store" | "projects" | "host">,
  lookAgain: (project: string) => void,
): JudgeHook {
  return async (name, call) => {
    const forge = await forgeOf(ports, name);
    const definition = forges.find(({ kind }) => kind === forge?.kind);
    if (definition === undefined || forge === null || forge.webhookSecretEnv === null) return null;
    const secret = ports.host.env[forge.webhookSecretEnv]?.trim() ?? "";
    if (secret === "") return null;
    if (!(await definition.isFromForge(secret, call))) return "refused";
    lookAgain(name);
    return "taken";
  };
}

/** Files that were never right have no webhook; `doctor` tells of them. */
async function forgeOf({ store, projects }: Pick<EnginePorts, "store" | "projects">, name: string) {
  const project = await store.projects.getProject(name);
  if (project === null) return null;
  const settings = await projects.lastGood(project).catch((error: unknown): Pick<Settings, "forge"> => {
    if (error instanceof ConfigError) return { forge: null };
    throw error;
  });
  return settings.forge;
}
