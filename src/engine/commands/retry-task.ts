import { reopen } from "../../core/pipeline/advance.ts";
import { UserError } from "../../core/text/errors.ts";
import type { Actor } from "../../core/task/event.ts";
import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import type { Task } from "../../core/task/task.ts";
import { isListDone } from "../../core/pipeline/items.ts";
import { whyNotFrom } from "../nightly/resume-walk.ts";
import { decided } from "./decide.ts";
import { pipelineOf } from "../pipeline-of.ts";
import { factsOf, type EnginePorts } from "../ports.ts";
import { outcomeOf } from "../run/step-context.ts";
import { findProject } from "./submit.ts";
import { withTaskLock } from "../task-lock.ts";
import { transact } from "../transact.ts";

/** Lets a task that failed or was cancelled go on from the state it ended in, or from `state`, with all limits counted anew. */
export async function retry(ports: EnginePorts, id: string, state: string | null, actor: Actor): Promise<Task> {
  // Not while its files are being removed: it would find half of them.
  return withTaskLock(ports, id, () => reopenTask(ports, id, state, actor));
}

async function reopenTask(ports: EnginePorts, id: string, state: string | null, actor: Actor): Promise<Task> {
  const { task } = await transact(ports, id, null, async (before) => {
    if (before.status !== "failed" && before.status !== "cancelled")
      throw new UserError(
        "conflict",
        `cannot retry ${id}: it is ${before.status}`,
        "only a task that failed or was cancelled can be retried",
      );
    const pipeline = await pipelineOf(ports, before);
    const from = state === null ? await whereItWas(ports, pipeline, before) : checkState(pipeline, state);
    const problem = await whyNotFrom(ports, pipeline, before, from);
    if (problem !== null)
      throw new UserError(
        "conflict",
        `cannot retry ${id} from "${from}": ${problem}`,
        `retry --from ${pipeline.start}`,
      );
    const settings = await ports.projects.settings(await findProject(ports, before.project));
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
    return { advance: again, events: [decided(before, outcome, actor, at)] };
  });
  return task;
}

/** A list that was walked to its end, or whose work is gone, is walked anew. */
async function whereItWas(ports: EnginePorts, pipeline: Pipeline, task: Task): Promise<string> {
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: 1000 });
  const state = runs.at(-1)?.state ?? pipeline.start;
  if (isListDone(task) || (await whyNotFrom(ports, pipeline, task, state)) !== null) return pipeline.start;
  return checkState(pipeline, state);
}

function checkState(pipeline: Pipeline, name: string): string {
  const state = pipeline.states[name];
  if (state !== undefined && state.step.kind !== "end") return name;
  const names = Object.values(pipeline.states).filter(({ step }) => step.kind !== "end");
  throw new UserError(
    "invalid",
    state === undefined ? `pipeline ${pipeline.name} has no state "${name}"` : `"${name}" is an end`,
    `retry --from takes one of: ${names.map((each) => each.name).join(", ")}`,
  );
}
