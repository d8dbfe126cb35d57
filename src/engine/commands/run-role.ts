import { startSingleRun } from "../../core/pipeline/single-run.ts";
import { SINGLE_ROLES, type SingleRole } from "../../core/task/role.ts";
import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import { decisionData } from "../../core/task/decision.ts";
import { newEvent } from "../../core/task/event.ts";
import type { Requester } from "../../core/task/requester.ts";
import { hasEnded, type Task } from "../../core/task/task.ts";
import { UserError } from "../../core/text/errors.ts";
import { pipelineOf } from "../pipeline-of.ts";
import type { EnginePorts } from "../ports.ts";
import { readTask, transact, withTaskLock } from "../transact.ts";
import { findPublishedWork } from "./follow-up.ts";
import { requireKeys } from "./require/require-agents.ts";
import { requireProject } from "./require/require-project.ts";

/** Runs one role on a task that waits or has ended, without moving it to another state. */
export async function runRole(ports: EnginePorts, id: string, role: string, actor: Requester): Promise<Task> {
  const single = requireSingleRole(id, role);
  // The lock waits for a cleanup that may be removing the task's files.
  return withTaskLock(ports, id, async () => {
    const before = await readTask(ports, id);
    const pipeline = await pipelineOf(ports, before);
    requireIdle(before, pipeline);
    const settings = await ports.projects.settings(await requireProject(ports.store, before.project));
    requireKeys(ports, { pipeline, settings, task: before });
    const work = await findPublishedWork(ports, before);
    const { task } = await transact(ports, id, null, (current) => {
      requireIdle(current, pipeline);
      const ready = { ...current, ...work };
      if (single === "review") requireChange(ready);
      const at = ports.clock.now();
      const event = newEvent({
        at,
        task: id,
        type: "task.decided",
        actor,
        summary: `run: ${single}, requested by ${actor.name}`,
        data: decisionData("run", actor, { role: single }),
      });
      return { advance: startSingleRun({ task: ready, pipeline, role: single, actor, at }), events: [event] };
    });
    return task;
  });
}

function requireSingleRole(id: string, role: string): SingleRole {
  const found = SINGLE_ROLES.find((each) => each === role);
  if (found !== undefined) return found;
  throw new UserError(
    "invalid",
    `"${role}" cannot run on its own. Possible roles: ${SINGLE_ROLES.join(", ")}.`,
    `To change the work of a task, run "nightshift follow-up ${id} <text>" or "nightshift retry ${id} --from <state>".`,
  );
}

function requireIdle(task: Task, { name, each }: Pipeline): void {
  if (!hasEnded(task) && task.status !== "waiting")
    throw new UserError(
      "conflict",
      `Cannot run a role on ${task.id}: it is ${task.status} in "${task.state}".`,
      "A single run needs a task that waits for a person or has ended. Wait for it, or cancel it first.",
    );
  if (each !== null)
    throw new UserError(
      "conflict",
      `Cannot run a role on ${task.id}: a task of the pipeline "${name}" chooses its own work.`,
    );
}

function requireChange({ id, baseCommit, headCommit }: Task): void {
  if (headCommit !== null && headCommit !== baseCommit) return;
  throw new UserError(
    "conflict",
    `${id} has no change to review yet.`,
    `Run "nightshift show ${id}" to see its state.`,
  );
}
