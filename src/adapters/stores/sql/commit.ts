import type { Event, EventDraft } from "../../../core/task/event.ts";
import { StaleTaskError } from "../../../core/text/errors.ts";
import { hasEnded, type Task } from "../../../core/task/task.ts";
import type { CommitParams, CommitResult, CreateTaskParams } from "../../../ports/store.ts";
import { admit } from "./admission.ts";
import { saveDocument } from "./tables/documents.ts";
import { removeArtifact, saveArtifacts, saveChecks } from "./tables/findings.ts";
import { insertNotices } from "./tables/outbox.ts";
import { changeParking, requestProbeFor, withParkedAgent } from "./tables/parked-agents.ts";
import { requireProject } from "./tables/projects.ts";
import { recordCosts } from "./money/record-costs.ts";
import {
  endOtherRuns,
  endRun,
  moveQueuedRuns,
  moveToAccount,
  queueRun,
  requireLease,
  wakeQueuedRuns,
} from "./tables/runs.ts";
import type { Tx } from "./schema.ts";
import { rankOf } from "./tables/task-rows.ts";
import { getTaskByKey, insertTask, replaceTask } from "./tables/tasks.ts";

/** Writes events. Listeners get them after the transaction has committed. */
export type RecordEvents = (drafts: readonly EventDraft[]) => Promise<readonly Event[]>;

export async function createTask(tx: Tx, params: CreateTaskParams, record: RecordEvents): Promise<CommitResult> {
  const { key } = params;
  const first = key === null ? null : await getTaskByKey(tx, key);
  if (first !== null) return { task: first, admitted: [], ended: [], events: [] };
  const task = await withParkedAgent(tx, params.task, params.run?.account ?? null);
  if (params.requireProject === true) await requireProject(tx, task.project);
  await insertTask(tx, task, key);
  if (params.run !== null) await queueRun(tx, params.run, task);
  const events = await record(params.events);
  await insertNotices(tx, params.notices);
  return { task, admitted: await admit(tx, params.admission), ended: [], events };
}

export async function commit(tx: Tx, params: CommitParams, record: RecordEvents): Promise<CommitResult> {
  if (params.lease !== null) await requireLease(tx, params.lease);
  const before = await requireVersion(tx, params.task.id, params.expectedVersion);
  if (params.parking != null) await changeParking(tx, params.parking, params.task.id);
  const written: Task = { ...params.task, version: params.expectedVersion + 1 };
  const task = await withParkedAgent(tx, written, params.newRun?.account ?? null);
  // A project that was removed has only ended tasks, and keeps only ended tasks.
  if (hasEnded(before) && !hasEnded(task)) await requireProject(tx, task.project);

  if (params.endRun !== null) await endRun(tx, params.endRun);
  const ended =
    params.endOthers === null
      ? []
      : await endOtherRuns(tx, { ...params.endOthers, task: task.id, except: params.endRun?.id ?? null });
  await recordCosts(tx, params.endRun === null ? ended : [params.endRun.id, ...ended]);
  await replaceTask(tx, task, before.status);
  const priority = rankOf(task.priority);
  if (priority !== before.priority) await moveQueuedRuns(tx, task.id, priority);
  if (params.account !== undefined) await moveToAccount(tx, task.id, params.account);
  if (params.wake === true) {
    await wakeQueuedRuns(tx, task.id);
    await requestProbeFor(tx, task.id, params.admission.at);
  }
  if (params.newRun !== null) await queueRun(tx, params.newRun, task);
  const events = await record(params.events);
  await saveChecks(tx, params.checks);
  for (const artifact of params.removedArtifacts ?? []) await removeArtifact(tx, task.id, artifact);
  await saveArtifacts(tx, task.id, params.artifacts);
  if (params.document != null) await saveDocument(tx, task.id, params.document);
  await insertNotices(tx, params.notices);
  // Other commits neither free a slot nor queue a run, so admission (two queries) is skipped.
  const mayAdmit =
    params.endRun !== null ||
    ended.length > 0 ||
    params.newRun !== null ||
    params.wake === true ||
    params.account !== undefined ||
    priority !== before.priority ||
    task.status !== before.status;
  return { task, admitted: mayAdmit ? await admit(tx, params.admission) : [], ended, events };
}

async function requireVersion(tx: Tx, task: string, expected: number) {
  const row = await tx
    .selectFrom("tasks")
    .select(["version", "priority", "status"])
    .where("id", "=", task)
    .executeTakeFirst();
  if (row === undefined) throw new StaleTaskError(`Task ${task} does not exist (any more).`);
  if (row.version === expected) return row;
  throw new StaleTaskError(`Task ${task} has version ${row.version}; the change was made for version ${expected}.`);
}
