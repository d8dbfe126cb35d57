import { reopen } from "../../core/pipeline/advance.ts";
import { UserError } from "../../core/text/errors.ts";
import type { Actor } from "../../core/task/event.ts";
import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import type { Task } from "../../core/task/task.ts";
import { isListDone } from "../../core/pipeline/items.ts";
import { findRetryProblem } from "../nightly/find-retry-problem.ts";
import { decisionEvent } from "./decide.ts";
import { pipelineOf } from "../pipeline-of.ts";
import { factsOf, type EnginePorts } from "../ports.ts";
import { outcomeOf } from "../run/step-context.ts";
import { requireProject } from "./require-project.ts";
import { withTaskLock } from "../task-lock.ts";
import { transact } from "../transact.ts";

/** Restarts a failed or cancelled task from `state`, or if null from the state it ended in, and resets its counters. */
export async function retry(ports: EnginePorts, id: string, state: string | null, actor: Actor): Promise<Task> {
  // The lock waits for a cleanup that may be removing the task's files.
  return withTaskLock(ports, id, () => reopenTask(ports, id, state, actor));
}

async function reopenTask(ports: EnginePorts, id: string, state: string | null, actor: Actor): Promise<Task> {
  const { task } = await transact(ports, id, null, async (before) => {
    if (before.status !== "failed" && before.status !== "cancelled")
      throw new UserError(
        "conflict",
        `Cannot retry ${id}: it is ${before.status}.`,
        "Only a task that failed or was cancelled can be retried.",
      );
    const pipeline = await pipelineOf(ports, before);
    const from = state === null ? await findResumeState(ports, pipeline, before) : checkState(pipeline, state);
    const problem = await findRetryProblem(ports, pipeline, before, from);
    if (problem !== null)
      throw new UserError(
        "conflict",
        `Cannot retry ${id} from "${from}": ${problem}.`,
        `Use --from ${pipeline.start}.`,
      );
    const settings = await ports.projects.settings(await requireProject(ports.store, before.project));
    const at = ports.clock.now();
    const outcome = outcomeOf("retry", `retried from "${from}" by ${actor.name}`);
    const again = reopen(
      {
        pipeline,
        task: { ...before, order: null },
        outcome,
        run: null,
        actor,
        facts: factsOf(before, settings),
        limits: { repair: settings.repairAttempts },
        digest: ports.digest,
        at,
      },
      from,
    );
    return { advance: again, events: [decisionEvent(before, outcome, actor, at)] };
  });
  return task;
}

/** A list that was completed, or whose work was deleted, starts over. */
async function findResumeState(ports: EnginePorts, pipeline: Pipeline, task: Task): Promise<string> {
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: 1000 });
  const state = runs.at(-1)?.state ?? pipeline.start;
  if (isListDone(task) || (await findRetryProblem(ports, pipeline, task, state)) !== null) return pipeline.start;
  return checkState(pipeline, state);
}

function checkState(pipeline: Pipeline, name: string): string {
  const state = pipeline.states[name];
  if (state !== undefined && state.step.kind !== "end") return name;
  const names = Object.values(pipeline.states).filter(({ step }) => step.kind !== "end");
  throw new UserError(
    "invalid",
    state === undefined ? `Pipeline ${pipeline.name} has no state "${name}".` : `"${name}" is an end.`,
    `Use --from with one of: ${names.map((each) => each.name).join(", ")}.`,
  );
}
