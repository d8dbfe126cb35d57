import { resolve } from "node:path";
import { personHome } from "./paths.ts";
import type { UserWritten } from "../schema/schema.ts";

/** Makes all paths of a configuration file absolute. They are relative to the folder of the file. */
export function resolvePaths<T extends UserWritten>(written: T, folder: string): T {
  const absolute = (path: string): string =>
    path === "~" || path.startsWith("~/") ? resolve(personHome(process.env), path.slice(2)) : resolve(folder, path);
  const { agents, roles, sandbox } = written;
  return {
    ...written,
    ...(agents && { agents: mapValues(agents, (agent) => resolveAgent(agent, absolute)) }),
    ...(roles && {
      roles: mapValues(roles, (role) =>
        role?.prompt === undefined ? role : { ...role, prompt: absolute(role.prompt) },
      ),
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

type WrittenAgent = NonNullable<UserWritten["agents"]>[string];

function resolveAgent(agent: WrittenAgent, absolute: (path: string) => string): WrittenAgent {
  const { command, script } = agent;
  return {
    ...agent,
    ...(command && { command: command.map((word, index) => (isPath(word, index === 0) ? absolute(word) : word)) }),
    ...(script !== undefined && script.includes("/") && { script: absolute(script) }),
  };
}

/** An argument with a slash may not be a path (`a/b`, `s/x/y/`), so only a prefix such as `./` or `../` counts. */
export function isPath(word: string, isProgram: boolean): boolean {
  return word.startsWith("./") || word.startsWith("../") || word.startsWith("~/") || (isProgram && word.includes("/"));
}

function mapValues<T extends object>(record: T, change: (value: T[keyof T]) => T[keyof T]): T {
  // The cast is safe: the result has the same keys and value types.
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)])) as T;
}
