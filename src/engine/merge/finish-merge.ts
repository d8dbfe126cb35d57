import { advance } from "../../core/pipeline/advance/advance.ts";
import { outcomeOf } from "../../core/outcomes/outcome.ts";
import { newEvent, type Actor, type EventDraft } from "../../core/task/event.ts";
import type { Task } from "../../core/task/task.ts";
import { UserError } from "../../core/text/errors.ts";
import { advanceParams } from "../advance-params.ts";
import { transact } from "../transact.ts";
import type { MergeCandidate, MergeContext } from "./find-candidate.ts";
import type { MergeResult } from "./perform-merge.ts";

/** Moves the task on after a merge, or back to the checks if the default branch has new commits. */
export async function finishMerge(
  context: MergeContext,
  { candidate, result, actor }: { candidate: MergeCandidate; result: MergeResult; actor: Actor },
): Promise<Task> {
  const { ports, task, pipeline, settings } = context;
  if (result.kind === "outdated" && pipeline.states[task.state]?.on.conflict === undefined)
    throw new UserError(
      "conflict",
      `${task.id} cannot be merged: ${result.summary}.`,
      `Run "nightshift cancel ${task.id}" and then "nightshift retry ${task.id} --from checking" to check it with them.`,
    );
  const at = ports.clock.now();
  const outcome = outcomeOf(result.kind === "merged" ? "merged" : "conflict", result.summary);
  const finished = await transact(ports, task.id, null, (before) => {
    // The forge was read back in the meantime, or a person decided.
    if (before.waitingFor?.kind !== "merge") return { advance: { task: before, events: [], next: null } };
    const advanced = advance(advanceParams(ports, { pipeline, settings, task: before, outcome, actor, at }));
    return { advance: advanced, events: describe(context, { candidate, result, actor }, at) };
  });
  return finished.task;
}

function describe(
  { task }: MergeContext,
  { candidate, result, actor }: { candidate: MergeCandidate; result: MergeResult; actor: Actor },
  at: number,
): readonly EventDraft[] {
  const base = { at, task: task.id, actor };
  if (result.kind === "outdated")
    return [newEvent({ ...base, type: "run.note", summary: `${result.summary}; the change is checked again first` })];
  const { request, commit, branch } = candidate;
  return [
    newEvent({
      ...base,
      type: "request.merged",
      summary: `${result.summary} by ${actor.name}`,
      data: { number: request?.number ?? null, url: request?.url ?? null, branch, commit, merge_commit: result.commit },
    }),
    ...result.warnings.map((summary) => newEvent({ ...base, type: "run.note", level: "warning", summary })),
  ];
}
