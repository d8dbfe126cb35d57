import { decisionData } from "../../core/task/decision.ts";
import { newEvent, type Actor } from "../../core/task/event.ts";
import type { Task } from "../../core/task/task.ts";
import { UserError } from "../../core/text/errors.ts";
import { terminalText } from "../../core/text/terminal-text.ts";
import { findCandidate, loadMergeContext, type MergeCandidate, type MergeContext } from "../merge/find-candidate.ts";
import { finishMerge } from "../merge/finish-merge.ts";
import { performMerge } from "../merge/perform-merge.ts";
import type { EnginePorts } from "../ports.ts";
import { readTask, withTaskLock } from "../transact.ts";
import type { MergeDraft } from "./commands-contract.ts";
import { requireWaiting } from "./decide.ts";
import { requireProject } from "./require/require-project.ts";

/**
 * Merges the reviewed commit. The decision is recorded first, so that a crash after the merge does not lose who decided; the
 * next read-back of the forge, or the same command again, then ends the task.
 */
export async function mergeTask(
  ports: EnginePorts,
  id: string,
  { method, note, actor }: MergeDraft & { readonly actor: Actor },
): Promise<Task> {
  return withTaskLock(ports, id, async () => {
    const task = await readTask(ports, id);
    requireWaiting(task, ["merge"], "merge");
    const project = await requireProject(ports.store, task.project);
    const context = await loadMergeContext(ports, task, { project, settings: await ports.projects.settings(project) });
    const candidate = await findCandidate(context);
    const decision = describeDecision(context, candidate, { note: note ?? null, actor });
    await record(context, { type: "task.decided", summary: `merge: ${decision.summary}`, actor });
    try {
      const result = await performMerge(context, candidate, {
        method: method ?? null,
        comment: decision.comment,
        expectCiUntil: 0,
      });
      ports.hooks.passCheckpoint("change.merged");
      return await finishMerge(context, { candidate, result, actor });
    } catch (error) {
      if (error instanceof UserError)
        await record(context, { type: "run.note", summary: `not merged: ${error.message}`, actor });
      throw error;
    }
  });
}

interface Decision {
  readonly summary: string;
  readonly comment: string | null;
}

/** Only a person who says why may merge a change that the review did not approve. */
function describeDecision(
  { ports, task }: MergeContext,
  { unreviewed }: MergeCandidate,
  { note, actor }: Pick<MergeDraft, "note"> & { readonly actor: Actor },
): Decision {
  const text = ports.secrets.redact(terminalText(note ?? "").trim());
  if (unreviewed !== null && text === "")
    throw new UserError(
      "invalid",
      `The review does not vouch for this change: ${unreviewed}.`,
      `Say why it is merged anyway with nightshift merge ${task.id} --note "…". The change request shows it.`,
    );
  const summary =
    unreviewed === null ? `requested by ${actor.name}` : `decided by ${actor.name} although ${unreviewed}`;
  if (text === "") return { summary, comment: null };
  const why = unreviewed === null ? "" : ` although ${unreviewed}`;
  return { summary: `${summary}: ${text}`, comment: `${actor.name} merges this with Nightshift${why}: ${text}` };
}

async function record(
  { ports, task }: MergeContext,
  { type, summary, actor }: { type: "task.decided" | "run.note"; summary: string; actor: Actor },
): Promise<void> {
  const level = type === "run.note" ? "warning" : "info";
  const data = type === "task.decided" ? decisionData("merge", actor) : {};
  await ports.store.events.appendEvents([
    newEvent({
      at: ports.clock.now(),
      task: task.id,
      type,
      level,
      actor,
      summary: ports.secrets.redact(summary),
      data,
    }),
  ]);
}
