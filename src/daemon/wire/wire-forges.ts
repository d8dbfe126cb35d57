import { createForge } from "../../adapters/forges/create-forge.ts";
import type { ForgeDefinition } from "../../adapters/forges/definition.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Forge, HookCall } from "../../ports/forge.ts";
import type { Project } from "../../ports/store.ts";
import { ConfigError } from "../../core/text/errors.ts";
import type { EnginePorts } from "../../engine/ports.ts";

type FindForge = (project: Pick<Project, "remote">, settings: Pick<Settings, "forge">) => Forge | null;

const MAX_CACHED = 100;

/**
 * Passes the token to the adapter; no other part of the program gets it. Forges are cached until their settings change,
 * because a new one first has to request the project's name.
 */
export function createForgeFinder(
  forges: readonly ForgeDefinition[],
  env: Readonly<Record<string, string | undefined>>,
): FindForge {
  const cache = new Map<string, Forge>();
  return ({ remote }, { forge: settings }) => {
    const definition = forges.find(({ kind }) => kind === settings?.kind);
    if (settings === null || definition === undefined) return null;
    const token = (settings.tokenEnv === null ? undefined : env[settings.tokenEnv]) ?? null;
    const key = JSON.stringify([settings, remote, token]);
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    if (cache.size >= MAX_CACHED) cache.clear();
    const forge = createForge(definition, { settings, remote, token });
    cache.set(key, forge);
    return forge;
  };
}

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
