import { createForge } from "../adapters/forges/index.ts";
import type { EnginePorts } from "../engine/ports.ts";

/** The token is looked up here and goes into the adapter; nothing else of the program is given it. */
export function findForge(env: Readonly<Record<string, string | undefined>>): EnginePorts["forgeFor"] {
  return (project, { forge }) => {
    if (forge === null) return null;
    const token = forge.tokenEnv === null ? undefined : env[forge.tokenEnv];
    return createForge({ settings: forge, remote: project.remote, token: token ?? null });
  };
}
