import type { TaskPreview } from "../../engine/commands/preview-task.ts";
import type { UpcomingRun } from "../../engine/schedule/upcoming.ts";
import type { ImprovePreviewJson, UpcomingJson } from "../contract/schedule.ts";
import { isoOrNull } from "./views.ts";

export function viewUpcoming({ expression, timeZone, at, categories, ...run }: UpcomingRun): UpcomingJson {
  return {
    ...run,
    cron: expression,
    time_zone: timeZone,
    at: isoOrNull(at),
    categories: categories === null ? null : [...categories],
  };
}

export function viewImprovePreview({ runs, limits, budget, ...rest }: TaskPreview): ImprovePreviewJson {
  return {
    ...rest,
    categories: [...rest.categories],
    checks: [...rest.checks],
    runs: runs.map(({ timeoutMs, maxTurns, maxBudgetUsd, ...run }) => ({
      ...run,
      timeout_ms: timeoutMs,
      max_turns: maxTurns,
      max_budget_usd: maxBudgetUsd,
      tools: [...run.tools],
      commands: run.commands === null ? null : [...run.commands],
      network: [...run.network],
      secrets: [...run.secrets],
    })),
    limits: {
      max_diff_lines: limits.maxDiffLines,
      avoid_recent_commits: limits.avoidRecentCommits,
      open_change_requests: limits.openChangeRequests,
      retries: limits.retries,
      task_timeout_ms: limits.taskTimeoutMs,
    },
    budget: {
      run_usd: budget.runUsd,
      task_usd: budget.taskUsd,
      night_usd: budget.nightUsd,
      month_usd: budget.monthUsd,
      run_tokens: budget.runTokens,
    },
  };
}
