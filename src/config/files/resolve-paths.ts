import { resolve } from "node:path";
import { personHome } from "./paths.ts";
import type { AgentKind } from "../../core/settings/kinds.ts";
import { findAgentKind } from "../parse/rules.ts";
import type { UserWritten } from "../schema/schema.ts";

/** Makes all paths of a configuration file absolute. They are relative to the folder of the file. */
export function resolvePaths<T extends UserWritten>(written: T, folder: string, kinds: readonly AgentKind[]): T {
  const absolute = (path: string): string =>
    path === "~" || path.startsWith("~/") ? resolve(personHome(process.env), path.slice(2)) : resolve(folder, path);
  const { agents, roles, sandbox, mcp, auto_approve: autoApprove } = written;
  return {
    ...written,
    ...(agents && { agents: mapAgentPaths(agents, kinds, absolute) }),
    ...(roles && {
      roles: mapValues(roles, (role) =>
        role?.prompt === undefined ? role : { ...role, prompt: absolute(role.prompt) },
      ),
    }),
    ...(autoApprove?.directories && {
      auto_approve: { ...autoApprove, directories: autoApprove.directories.map(absolute) },
    }),
    // A program without a slash is looked up on PATH.
    ...(mcp && {
      mcp: mapValues(mcp, (server) => ({
        ...server,
        command: server.command.map((word, index) => (index === 0 && word.includes("/") ? absolute(word) : word)),
      })),
    }),
    ...(sandbox && {
      sandbox: {
        ...sandbox,
        ...(sandbox.read && { read: sandbox.read.map(absolute) }),
        ...(sandbox.write && { write: sandbox.write.map(absolute) }),
      },
    }),
  };
}

type WrittenAgents = NonNullable<UserWritten["agents"]>;

/** Each kind of agent knows which of its settings are paths. */
export function mapAgentPaths(
  agents: WrittenAgents,
  kinds: readonly AgentKind[],
  map: (path: string) => string,
): WrittenAgents {
  return Object.fromEntries(
    Object.entries(agents).map(([name, agent]) => {
      const mapPaths = findAgentKind(kinds, name, agent)?.mapPaths;
      return [name, mapPaths === undefined ? agent : { ...agent, ...mapPaths(agent, map) }];
    }),
  );
}

function mapValues<T extends object>(record: T, change: (value: T[keyof T]) => T[keyof T]): T {
  // The cast is safe: the result has the same keys and value types.
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)])) as T;
}
