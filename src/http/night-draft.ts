import type { z } from "zod";
import type { TaskDraft } from "../engine/commands-contract.ts";
import type { improveSchema } from "./contract/schedule.ts";

/** The nightly improvement as a person asks for it. */
export function findNightDraft({ project, category, only }: z.infer<typeof improveSchema>): TaskDraft {
  return {
    project,
    pipeline: "improve",
    title: "Nightly improvement",
    description: "Find, make and verify one small improvement.",
    priority: "normal",
    size: null,
    complexity: null,
    tags: [],
    agent: null,
    model: null,
    timeoutMs: null,
    budgetUsd: null,
    autoApprove: false,
    design: false,
    improve: { category, only, scheduledAt: null },
    key: null,
  };
}
