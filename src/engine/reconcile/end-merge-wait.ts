import { advance } from "../../core/pipeline/advance.ts";
import { isAboutBranch } from "../../core/pipeline/decide-branch.ts";
import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import { SYSTEM, type EventDraft } from "../../core/task/event.ts";
import type { Task } from "../../core/task/task.ts";
import type { Project } from "../../ports/store.ts";
import { advanceParams } from "../advance-params.ts";
import { pipelineOf } from "../pipeline-of.ts";
import type { EnginePorts } from "../ports.ts";
import { outcomeOf } from "../run/step-context.ts";
import { transact } from "../transact.ts";

/** A person may also have to decide about the branch first. Meanwhile the change can be merged or closed. */
export function waitsForMerge({ waitingFor }: Task): boolean {
  return waitingFor?.kind === "merge" || isAboutBranch(waitingFor);
}

interface MergeWait {
  readonly project: Project;
  readonly task: string;
  /** `request.merged` or `request.closed`. */
  readonly event: EventDraft;
}

/** Moves a task on whose change people merged or closed themselves. */
export async function endMergeWait(ports: EnginePorts, { project, task: id, event }: MergeWait): Promise<void> {
  const settings = await ports.projects.lastGood(project);
  await transact(ports, id, null, async (task) => {
    // A person may have decided meanwhile.
    if (!waitsForMerge(task)) return { advance: { task, events: [], next: null } };
    const pipeline = await pipelineOf(ports, task);
    // A task that asks about its branch is in another state. It ends as if it waited for the merge.
    const waiting: Task = { ...task, state: findMergeState(pipeline, task) };
    const outcome = outcomeOf(event.type === "request.merged" ? "merged" : "closed", event.summary);
    const happened = { pipeline, settings, task: waiting, outcome, actor: SYSTEM, at: event.at };
    return { advance: advance(advanceParams(ports, happened)), events: [event] };
  });
}

function findMergeState({ states }: Pipeline, { state, waitingFor }: Task): string {
  if (waitingFor?.kind === "merge") return state;
  const waiting = Object.values(states).find(({ step }) => step.kind === "wait" && step.for === "merge");
  return waiting?.name ?? state;
}
