import { createForge } from "../../adapters/forges/create-forge.ts";
import type { ForgeDefinition } from "../../adapters/forges/definition.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Forge, HookCall } from "../../ports/forge.ts";
import type { Project } from "../../ports/store.ts";
import { ConfigError } from "../../core/text/errors.ts";
import type { EnginePorts } from "../../engine/ports.ts";
import type { createProjectFiles } from "../../config/files/project-files.ts";
import { createForgeLogins, readTokenVariable, type ForgeLogins, type ForgeLoginsParams } from "./wire-forge-logins.ts";

type FindForge = (project: Pick<Project, "remote">, settings: Pick<Settings, "forge">) => Forge | null;

const MAX_CACHED = 100;

export interface WireForgesParams extends Pick<ForgeLoginsParams, "forges" | "env" | "addSecret"> {
  readonly projectFiles: Pick<ReturnType<typeof createProjectFiles>, "onSettings">;
}

/** Loads the user's login whenever settings are read, before a forge can be opened with them. */
export function wireForges({ projectFiles, ...params }: WireForgesParams): EnginePorts["forges"] {
  const logins = createForgeLogins(params);
  projectFiles.onSettings((_, settings) => logins.load(settings?.forge ?? null));
  return { open: createForgeFinder(params.forges, params.env, logins) };
}

/**
 * Passes the token to the adapter; no other part of the program gets it. Without a token variable, it is the login that was
 * loaded with the settings. Forges are cached until their settings change,
 * because a new one first has to request the project's name.
 */
export function createForgeFinder(
  forges: readonly ForgeDefinition[],
  env: Readonly<Record<string, string | undefined>>,
  logins: Pick<ForgeLogins, "current" | "reject">,
): FindForge {
  const cache = new Map<string, Forge>();
  return ({ remote }, { forge: settings }) => {
    const definition = forges.find(({ kind }) => kind === settings?.kind);
    if (settings === null || definition === undefined) return null;
    const token = readTokenVariable(settings, env);
    const login = logins.current(settings);
    const key = JSON.stringify([settings, remote, token, login]);
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    if (cache.size >= MAX_CACHED) cache.clear();
    const forge = createForge(definition, {
      settings,
      remote,
      token,
      login,
      ...(login !== null && { fetch: reportRefusal(() => logins.reject(login.token)) }),
    });
    cache.set(key, forge);
    return forge;
  };
}

/** Calls `onRefused` if the forge does not accept the token. */
function reportRefusal(onRefused: () => void): typeof globalThis.fetch {
  return async (...request) => {
    const response = await globalThis.fetch(...request);
    if (response.status === 401) onRefused();
    return response;
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
