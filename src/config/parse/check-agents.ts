import type { AgentKind } from "../../core/settings/kinds.ts";
import { closest } from "../../core/text/did-you-mean.ts";
import { ConfigError, type Issue } from "../../core/text/errors.ts";
import { ROLES } from "../../core/task/role.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { ParsedConfig } from "./parse-config.ts";
import type { ProjectWritten, UserWritten } from "../schema/schema.ts";
import type { Pending } from "../trust/trust.ts";

export interface AgentSources {
  readonly user: ParsedConfig<UserWritten>;
  readonly own: ParsedConfig<ProjectWritten>;
  readonly pending: readonly Pending[];
  readonly kinds: readonly AgentKind[];
}

/** Checks that every agent named in the files is defined in one of them. Needs both files together. */
export function checkAgents(settings: Settings, sources: AgentSources): void {
  const issues = [sources.user, sources.own].flatMap((source) =>
    listNamed(source.written).flatMap(({ path, agent }) => {
      const problem = findProblem(agent, settings, sources);
      return problem === null ? [] : [source.issue(path, problem)];
    }),
  );
  if (issues.length > 0) throw new ConfigError(issues satisfies Issue[]);
}

function listNamed(written: UserWritten): { path: string[]; agent: string }[] {
  const named = [
    { path: ["agent"], agent: written.agent },
    { path: ["fallback_agent"], agent: written.fallback_agent },
    ...ROLES.map((role) => ({ path: ["roles", role, "agent"], agent: written.roles?.[role]?.agent })),
  ];
  return named.flatMap(({ path, agent }) => (agent === undefined ? [] : [{ path, agent }]));
}

function findProblem(agent: string, settings: Settings, { pending, kinds }: AgentSources): string | null {
  const known = Object.keys(settings.agents).toSorted();
  const found = settings.agents[agent];
  if (found === undefined) {
    if (pending.some(({ key }) => key === `agents.${agent}`))
      return `the agent \`${agent}\` is defined here but not accepted yet; run \`nightshift trust\``;
    const meant = closest(agent, known);
    return `there is no agent \`${agent}\`;${meant === null ? "" : ` did you mean \`${meant}\`?`} known: ${known.join(", ")}`;
  }
  const required = kinds.find(({ kind }) => kind === found.kind)?.required;
  if (required === undefined || found.options[required.key] !== undefined) return null;
  return `the agent \`${agent}\` needs \`agents.${agent}.${required.key}\`: ${required.what}`;
}
