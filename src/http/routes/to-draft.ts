import type { TaskDraft } from "../../core/task/task-draft.ts";
import { UserError } from "../../core/text/errors.ts";
import type { HttpDeps } from "../deps.ts";
import { findTaskIds } from "../lookup.ts";
import type { Input } from "./handler.ts";

export type SubmitBody = Input<"POST /tasks">["body"];

export async function toDraft(store: HttpDeps["store"], body: SubmitBody): Promise<Omit<TaskDraft, "key">> {
  const { timeout_ms: timeoutMs, budget_usd: budgetUsd, max_turns: maxTurns, ...rest } = body;
  const {
    category,
    only,
    planning_timeout_ms: planningTimeoutMs,
    auto_approve: autoApprove,
    allow_dirs: allowDirs,
    without_checks: withoutChecks,
    allow_overlap: allowOverlap,
    in_place: inPlace,
    best_of: bestOf,
    ...draft
  } = rest;
  if (body.project === null && body.url === null)
    throw new UserError("invalid", "The task has no project.", "Set `project`, or `url` to review a change request.");
  const [related = null] = await findTaskIds(store, body.related === null ? [] : [body.related]);
  return {
    ...draft,
    project: body.project ?? "",
    description: body.description ?? "",
    timeoutMs,
    planningTimeoutMs,
    budgetUsd,
    maxTurns,
    autoApprove,
    allowDirs,
    withoutChecks,
    allowOverlap,
    inPlace,
    after: await findTaskIds(store, body.after),
    related,
    ...(bestOf !== null && { bestOf }),
    improve: { category, only, scheduledAt: null },
  };
}
