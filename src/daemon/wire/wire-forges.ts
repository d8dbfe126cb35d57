import { createForge } from "../../adapters/forges/create-forge.ts";
import type { ForgeDefinition } from "../../adapters/forges/definition.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Forge } from "../../ports/forge.ts";
import type { Project } from "../../ports/store.ts";

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
