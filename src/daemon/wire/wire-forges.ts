import { createForge } from "../../adapters/forges/create-forge.ts";
import type { ForgeDefinition } from "../../adapters/forges/definition.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Forge } from "../../ports/forge.ts";
import type { Project } from "../../ports/store.ts";

type FindForge = (project: Pick<Project, "remote">, settings: Pick<Settings, "forge">) => Forge | null;

const MOST_KEPT = 100;

/**
 * The token is looked up here and goes into the adapter; nothing else of the program is given it. One forge is kept for as
 * long as its settings stay, since a new one has to ask for the project's name first.
 */
export function findForge(
  forges: readonly ForgeDefinition[],
  env: Readonly<Record<string, string | undefined>>,
): FindForge {
  const kept = new Map<string, Forge>();
  return ({ remote }, { forge: settings }) => {
    const definition = forges.find(({ kind }) => kind === settings?.kind);
    if (settings === null || definition === undefined) return null;
    const token = (settings.tokenEnv === null ? undefined : env[settings.tokenEnv]) ?? null;
    const key = JSON.stringify([settings, remote, token]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    if (kept.size >= MOST_KEPT) kept.clear();
    const forge = createForge(definition, { settings, remote, token });
    kept.set(key, forge);
    return forge;
  };
}
