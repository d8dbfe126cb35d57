import { NIGHT_WORK, type ScheduledWork } from "../../core/schedule/schedule.ts";
import type { TaskDraft } from "../../core/task/task-draft.ts";

/** The task of a schedule. Everything that the schedule does not set comes from the project's settings. */
export function draftScheduledTask(project: string, work: ScheduledWork): TaskDraft {
  const { pipeline, title, description, autoApprove } = work;
  return {
    project,
    pipeline,
    title,
    description,
    priority: "normal",
    size: null,
    complexity: null,
    tags: [],
    agent: null,
    model: null,
    timeoutMs: null,
    budgetUsd: null,
    autoApprove,
    design: false,
    withoutChecks: false,
    improve: null,
    key: null,
  };
}

/** The nightly improvement, requested by a person. */
export function draftNightlyTask(
  project: string,
  options: Pick<NonNullable<TaskDraft["improve"]>, "category" | "only">,
): TaskDraft {
  return { ...draftScheduledTask(project, NIGHT_WORK), improve: { ...options, scheduledAt: null } };
}
