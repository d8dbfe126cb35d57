import { CATEGORIES } from "../../core/nightly/category.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { ROLES } from "../../core/task/role.ts";
import { withoutCredentials } from "../../core/text/without-credentials.ts";
import type { ProjectSettingsJson } from "../contract/project-settings.ts";

/** Leaves out everything that can contain a secret: environments, options of agents and forges, and channels. */
export function viewSettings(settings: Settings): ProjectSettingsJson {
  const { forge, sandbox, budget, limits, improve } = settings;
  const scheduled = new Set(Object.values(improve.categories).flat());
  return {
    project: settings.project,
    time_zone: settings.timeZone,
    agent: settings.agent,
    fallback_agent: settings.fallbackAgent,
    roles: ROLES.map((role) => viewRole(settings, role)),
    checks: settings.checks.map(({ name, command, related, severity, timeoutMs }) => ({
      name,
      command: withoutCredentials(command),
      related: related === null ? null : withoutCredentials(related),
      severity,
      timeout_ms: timeoutMs,
    })),
    scan_secrets: settings.scanSecrets,
    fail_on_warning: settings.failOnWarning,
    repair_attempts: settings.repairAttempts,
    gates: settings.gates,
    forge:
      forge === null
        ? null
        : {
            kind: forge.kind,
            project: forge.project === null ? null : withoutCredentials(forge.project),
            reviewer: forge.reviewer,
            labels: [...forge.labels],
            draft: forge.draft,
          },
    sandbox: {
      mode: sandbox.mode,
      network: sandbox.network.map(withoutCredentials),
      read: [...sandbox.read],
      write: [...sandbox.write],
      commands: sandbox.commands === null ? null : [...sandbox.commands],
    },
    secrets: Object.entries(settings.secrets).map(([name, { roles }]) => ({ name, roles: [...roles] })),
    mcp: Object.keys(settings.mcp),
    budget: {
      run_usd: budget.runUsd,
      task_usd: budget.taskUsd,
      night_usd: budget.nightUsd,
      month_usd: budget.monthUsd,
      run_tokens: budget.runTokens,
    },
    limits: {
      concurrent_runs: limits.concurrentRuns,
      open_change_requests: limits.openChangeRequests,
      task_timeout_ms: limits.taskTimeoutMs,
    },
    improve: {
      schedule: improve.schedule,
      max_diff_lines: improve.maxDiffLines,
      publish: improve.publish,
      categories: CATEGORIES.filter((category) => scheduled.has(category)),
    },
  };
}

function viewRole(settings: Settings, role: (typeof ROLES)[number]): ProjectSettingsJson["roles"][number] {
  const own = settings.roles[role];
  const agent = own.agent ?? settings.agent;
  return {
    role,
    agent,
    model: own.model ?? settings.agents[agent]?.model ?? null,
    timeout_ms: own.timeoutMs,
    max_turns: own.maxTurns,
    max_budget_usd: own.maxBudgetUsd,
  };
}
