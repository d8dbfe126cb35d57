import { NIGHT_WORK, type ScheduledWork } from "../../core/schedule/schedule.ts";
import type { TaskDraft } from "../../core/task/task-draft.ts";

/** Work that a schedule hands over; whatever a person could have said about it is left to the settings. */
export function draftOf(project: string, work: ScheduledWork): TaskDraft {
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
    improve: null,
    key: null,
  };
}

/** The nightly improvement as a person asks for it. */
export function nightDraft(
  project: string,
  asked: Pick<NonNullable<TaskDraft["improve"]>, "category" | "only">,
): TaskDraft {
  return { ...draftOf(project, NIGHT_WORK), improve: { ...asked, scheduledAt: null } };
}
