import { decisionData } from "../../core/task/decision.ts";
import { newEvent, type Actor } from "../../core/task/event.ts";
import { isInPlace } from "../../core/task/in-place.ts";
import { hasEnded, type Task } from "../../core/task/task.ts";
import { UserError } from "../../core/text/errors.ts";
import type { AppliedChange } from "../../ports/checkout.ts";
import type { EnginePorts } from "../ports.ts";
import { readTask, transact, withTaskLock } from "../transact.ts";
import type { ApplyDraft } from "./commands-contract.ts";
import { describeActions } from "./decide.ts";
import { requireProject } from "./require/require-project.ts";

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Brings the files of an ended task over to the person's checkout. */
export async function applyTask(
  ports: EnginePorts,
  id: string,
  { force, dryRun, actor }: ApplyDraft & { readonly actor: Actor },
): Promise<AppliedChange> {
  return withTaskLock(ports, id, async () => {
    const task = await readTask(ports, id);
    const { name, path } = await requireProject(ports.store, task.project);
    const { from, to } = requireFiles(task, path);
    await requireUnpublished(ports, task);
    if (!force && !dryRun) await requireNoSecrets(ports, task);
    if (path === null)
      throw new UserError(
        "conflict",
        `Project "${name}" has no checkout on this machine.`,
        `Run "nightshift init" in a clone of it first.`,
      );
    const changes = await ports.workspaces.readChanges({
      project: name,
      task: id,
      from,
      to,
      maxFileBytes: MAX_FILE_BYTES,
    });
    const change = await ports.checkouts.apply({ root: path, changes, force, dryRun });
    if (change.applied) await record(ports, id, change, actor);
    return change;
  });
}

function requireFiles(task: Task, path: string | null): { readonly from: string; readonly to: string } {
  if (!hasEnded(task))
    throw new UserError(
      "conflict",
      `Cannot apply ${task.id}: it is ${task.status}.`,
      `Only the files of a task that has ended can be applied. ${describeActions(task)}`,
    );
  if (isInPlace(task))
    throw new UserError(
      "conflict",
      `The files of ${task.id} are already in ${path}: it worked in place.`,
      `See "nightshift results ${task.id}".`,
    );
  const { baseCommit, headCommit } = task;
  if (baseCommit === null || headCommit === null || baseCommit === headCommit)
    throw new UserError("conflict", `${task.id} has no files to apply.`, `See "nightshift results ${task.id}".`);
  return { from: baseCommit, to: headCommit };
}

/** A published commit is kept by the remote only, and people merge it from there. */
async function requireUnpublished({ store }: EnginePorts, { id }: Task): Promise<void> {
  const branch = (await store.tasks.listArtifacts(id)).findLast(({ type }) => type === "branch")?.label;
  if (branch === undefined) return;
  throw new UserError(
    "conflict",
    `There is nothing to apply: the change of ${id} is published on the branch ${branch}.`,
    `Fetch that branch, or see "nightshift diff ${id}".`,
  );
}

/** A succeeded task has no secrets, or a person accepted them. */
async function requireNoSecrets({ store }: EnginePorts, task: Task): Promise<void> {
  if (task.status === "succeeded") return;
  const scan = (await store.tasks.listChecks(task.id)).findLast(({ name }) => name === "no-secrets");
  if (scan?.status !== "failed" || scan.severity !== "error") return;
  throw new UserError(
    "conflict",
    `Cannot apply ${task.id}: its files contain secrets:\n${scan.tail}`,
    `See them with "nightshift diff ${task.id}". Use --force to apply the files anyway.`,
  );
}

async function record(ports: EnginePorts, id: string, { files }: AppliedChange, actor: Actor): Promise<void> {
  const written = files.filter(({ change, problem }) => change !== "unchanged" && problem === null).length;
  await transact(ports, id, null, (task) => {
    const at = ports.clock.now();
    const summary = `apply: ${written} ${written === 1 ? "file" : "files"} written by ${actor.name}`;
    const event = newEvent({
      at,
      task: id,
      type: "task.decided",
      actor,
      summary,
      data: decisionData("apply", actor, { files: written }),
    });
    return { advance: { task: { ...task, updatedAt: at }, events: [], next: null }, events: [event] };
  });
}
