import type { ParkedAgent } from "../../core/task/parked-agent.ts";
import type { AgentJson, ParkedAgentJson } from "../contract/daemon.ts";
import type { AgentInfo } from "../deps.ts";
import { iso, isoOrNull } from "./views.ts";

export function viewAgent({ oldestVersion, ...agent }: AgentInfo, parked: readonly ParkedAgent[]): AgentJson {
  const { name, kind } = agent;
  // Agents of one kind without own settings share an account, whatever their names are.
  const found = parked.find((each) => each.agent === name || each.account === kind);
  return {
    ...agent,
    oldest_version: oldestVersion,
    parked_until: isoOrNull(found?.until ?? null),
    parked_for: found?.kind ?? null,
    parked_reason: found?.reason ?? null,
  };
}

export function viewParked({ agent, kind, reason, since, until }: ParkedAgent): ParkedAgentJson {
  return { agent, kind, reason, since: iso(since), until: iso(until) };
}
