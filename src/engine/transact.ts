import type { Advance, NextRun } from "../core/pipeline/advance/advance.ts";
import { StaleTaskError, UserError } from "../core/text/errors.ts";
import type { EventDraft } from "../core/task/event.ts";
import type { CheckResult } from "../core/task/run.ts";
import type { Artifact, Task } from "../core/task/task.ts";
import type { CommitParams, CommitResult, Lease, NewNotice, NewRun, RunEnd, Store } from "../ports/store.ts";
import type { ParkingChange } from "../ports/store-agents.ts";
import { holdForOverlap, mayOverlap } from "./overlap.ts";
import { findAccount } from "./find-account.ts";
import { noticesFor } from "./deliver/notices.ts";
import { admissionNow, type EnginePorts } from "./ports.ts";

/** The changes that a decision makes to a task. Omitted fields stay unchanged. */
export interface Decision {
  readonly advance: Advance;
  readonly events?: readonly EventDraft[];
  readonly endRun?: RunEnd | null;
  readonly endOthers?: CommitParams["endOthers"];
  readonly wake?: boolean;
  readonly account?: string;
  readonly parking?: ParkingChange | null;
  readonly checks?: readonly CheckResult[];
  readonly artifacts?: readonly Artifact[];
  readonly removedArtifacts?: CommitParams["removedArtifacts"];
  /** In addition to the notices for the events. */
  readonly notices?: readonly NewNotice[];
}

const MAX_TRIES = 50;

/**
 * Reads the task, decides, writes the result in one transaction and submits admitted runs to the courier. If the task changed
 * in between, it starts over, so `decide` may be called several times and must not have side effects.
 */
export async function transact(
  ports: EnginePorts,
  taskId: string,
  lease: Lease | null,
  decide: (task: Task) => Decision | Promise<Decision>,
): Promise<CommitResult> {
  for (let tries = 1; ; tries += 1) {
    const task = await readTask(ports, taskId);
    const decision = await decide(task);
    try {
      const result = await commitDecision(ports, task, lease, decision);
      await enqueueRuns(ports, result);
      return result;
    } catch (error) {
      if (!(error instanceof StaleTaskError) || tries >= MAX_TRIES) throw error;
    }
  }
}

async function commitDecision(
  ports: EnginePorts,
  task: Task,
  lease: Lease | null,
  decision: Decision,
): Promise<CommitResult> {
  const commit = async (advance: Advance): Promise<CommitResult> =>
    ports.store.tasks.commit(await toCommit(ports, task, lease, { ...decision, advance }));
  if (!mayOverlap(decision.advance)) return commit(decision.advance);
  return withFilesLock(ports, async () => commit(await holdForOverlap(ports, lease, decision.advance)));
}

export async function readTask(ports: Pick<EnginePorts, "store">, id: string): Promise<Task> {
  const task = await ports.store.tasks.getTask(id);
  if (task === null)
    throw new UserError("not_found", `There is no task ${id}.`, 'Run "nightshift queue" to list the tasks.');
  return task;
}

/** The courier may lose these runs; `reconcile` submits them again. */
export async function enqueueRuns(ports: EnginePorts, result: Pick<CommitResult, "admitted" | "ended">): Promise<void> {
  for (const run of result.ended) await ports.courier.cancel(run);
  for (const run of result.admitted) await ports.courier.submit(run);
}

export async function toNewRun(ports: EnginePorts, task: Task, next: NextRun): Promise<NewRun> {
  const found = await findAccount(ports, task, next);
  return {
    id: ports.clock.newId("run"),
    task: task.id,
    project: task.project,
    state: next.state,
    step: next.step,
    role: next.role,
    attempt: next.attempt,
    agent: null,
    account: found?.account ?? null,
    notBefore: next.notBefore,
    trigger: next.trigger,
    createdAt: ports.clock.now(),
  };
}

async function toCommit(
  ports: EnginePorts,
  before: Task,
  lease: Lease | null,
  decision: Decision,
): Promise<CommitParams> {
  const { task, next } = decision.advance;
  const events = [...(decision.events ?? []), ...decision.advance.events].map((event) => ({
    ...event,
    summary: ports.secrets.redact(event.summary),
    data: ports.secrets.redact(event.data),
  }));
  return {
    task,
    expectedVersion: before.version,
    lease,
    endRun: decision.endRun ?? null,
    endOthers: decision.endOthers ?? null,
    newRun: next === null ? null : await toNewRun(ports, task, next),
    wake: decision.wake ?? false,
    ...(decision.account !== undefined && { account: decision.account }),
    parking: decision.parking ?? null,
    events,
    checks: decision.checks ?? [],
    artifacts: decision.artifacts ?? [],
    removedArtifacts: decision.removedArtifacts ?? [],
    document: decision.advance.document ?? null,
    notices: [...(await noticesFor(ports, { ...decision, task, events })), ...(decision.notices ?? [])],
    admission: admissionNow(ports),
  };
}

/** Decides one at a time which task works on which files. Tasks of different projects can write to the same directory. */
export function withFilesLock<T>(ports: { readonly store: Store }, work: () => Promise<T>): Promise<T> {
  return withTaskLock(ports, "files", work);
}

const queues = new WeakMap<Store, Map<string, Promise<unknown>>>();

/**
 * Runs `work` exclusively for this task, for example to remove its files or to retry it. The work must read the task again,
 * because the task may have changed while it waited for the lock.
 */
export async function withTaskLock<T>(
  { store }: { readonly store: Store },
  task: string,
  work: () => Promise<T>,
): Promise<T> {
  const queue = queues.get(store) ?? new Map<string, Promise<unknown>>();
  queues.set(store, queue);
  const previous = queue.get(task) ?? Promise.resolve();
  const result = previous.then(work, work);
  const settled = result.catch(() => undefined);
  queue.set(task, settled);
  try {
    return await result;
  } finally {
    if (queue.get(task) === settled) queue.delete(task);
  }
}
