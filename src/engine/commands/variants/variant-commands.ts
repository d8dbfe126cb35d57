import type { Actor } from "../../../core/task/event.ts";
import type { Requester } from "../../../core/task/requester.ts";
import { hasEnded, type Task } from "../../../core/task/task.ts";
import { findCandidates, waitsForVariants } from "../../../core/task/variants.ts";
import { UserError } from "../../../core/text/errors.ts";
import type { EnginePorts } from "../../ports.ts";
import { readTask } from "../../transact.ts";
import { listVariants, loadVariants } from "../../variants.ts";
import type { RetryDraft } from "../commands-contract.ts";
import { endTask, pause, removeTask, resume, retry, type Order } from "../task-commands.ts";
import { endVariant, tendVariants } from "./tend-variants.ts";

/** Ends the variants together with their task. */
export async function endWithVariants(ports: EnginePorts, id: string, order: Order, actor: Actor): Promise<Task> {
  const task = await endTask(ports, id, order, actor);
  const open = (await listVariants(ports, task)).filter((variant) => !hasEnded(variant));
  await Promise.all(open.map((variant) => endVariant(ports, variant.id, order, actor)));
  return task;
}

export async function pauseWithVariants(ports: EnginePorts, id: string, actor: Actor): Promise<Task> {
  await refuseVariant(ports, id, "pause");
  const task = await pause(ports, id, actor);
  await tendVariants(ports, task);
  return task;
}

export async function resumeWithVariants(ports: EnginePorts, id: string, actor: Actor): Promise<Task> {
  await refuseVariant(ports, id, "resume");
  await requireCandidate(ports, await readTask(ports, id));
  const task = await resume(ports, id, actor);
  await tendVariants(ports, task);
  return task;
}

export async function retryWithVariants(
  ports: EnginePorts,
  id: string,
  draft: RetryDraft,
  actor: Requester,
): Promise<Task> {
  await refuseVariant(ports, id, "retry");
  await requireCandidate(ports, await readTask(ports, id));
  return retry(ports, id, draft, actor);
}

/** Removes the variants first, so that a crash in between leaves a task that can be deleted again. */
export async function removeWithVariants(ports: EnginePorts, id: string, actor: Actor): Promise<void> {
  await refuseVariant(ports, id, "delete");
  const task = await readTask(ports, id);
  if (hasEnded(task)) for (const variant of await listVariants(ports, task)) await removeTask(ports, variant.id, actor);
  await removeTask(ports, id, actor);
}

/** Waking a task that waits for its variants means to go on without the rest, so there must be something to choose. */
async function requireCandidate(ports: EnginePorts, task: Task): Promise<void> {
  if (task.status !== "queued" || !waitsForVariants(task)) return;
  const variants = (await loadVariants(ports, task)).filter((variant) => variant !== null);
  if (findCandidates(variants).length > 0) return;
  throw new UserError(
    "conflict",
    `${task.id} cannot go on yet: none of its variants has passed the checks.`,
    `"nightshift show ${task.id}" lists them. Cancel the ones that you do not want to wait for.`,
  );
}

/** Commands that would take a variant out of step with its task are refused. */
export async function refuseVariant({ store }: EnginePorts, id: string, verb: string): Promise<void> {
  const of = (await store.tasks.getTask(id))?.options.variantOf;
  if (of === undefined) return;
  throw new UserError(
    "conflict",
    `Cannot ${verb} ${id}: it is a variant of ${of.task}.`,
    `Use the command with ${of.task}. A variant alone can only be cancelled.`,
  );
}
