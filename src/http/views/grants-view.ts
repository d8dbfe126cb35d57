import type { Run } from "../../core/task/run.ts";
import type { RunJson } from "../contract/run.ts";

export function viewGrants({ granted }: Run): Pick<RunJson, "limits" | "grants"> {
  if (granted === null) return { limits: null, grants: null };
  const { limits, grants } = granted;
  return {
    limits: { timeout_ms: limits.timeoutMs, max_turns: limits.maxTurns, budget_usd: limits.budgetUsd },
    grants: {
      tools: [...grants.tools],
      commands: grants.commands === null ? null : [...grants.commands],
      directories: grants.directories.map(({ path, access }) => ({ path, access })),
      network: [...grants.network],
      secrets: [...grants.secrets],
      mcp: [...grants.mcp],
      sandbox: grants.sandbox,
    },
  };
}
