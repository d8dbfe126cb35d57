import { wasStarted } from "../run/run-jobs.ts";
import type { StepContext } from "../run/step-context.ts";
import { withTaskLock, readTask } from "../transact.ts";

const POLL_MS = 250;

interface PublishWork<T> {
  /** An agent publishes already. It receives orders itself, so the lock only waits for it. */
  readonly hasStarted: boolean;
  readonly work: () => Promise<T>;
}

/**
 * Lets one night of a project publish at a time, so that a second night with the same change finds the first one's. An agent
 * holds the lock while it works or is paused. Waiting tasks still obey pause and cancel. Null if the task was cancelled.
 */
export async function withPublishLock<T>(context: StepContext, publishing: PublishWork<T>): Promise<T | null> {
  for (;;) {
    context.signal.throwIfAborted();
    if (!publishing.hasStarted && (await isCancelled(context))) return null;
    const finished = await tryPublish(context, publishing);
    if (finished !== null) return finished.result;
    await context.ports.clock.sleep(POLL_MS, context.signal);
  }
}

/** Waits while the task is paused. There is no process to stop here, so orders are checked just before the push. */
export async function isCancelled({ ports, task, signal }: StepContext): Promise<boolean> {
  for (;;) {
    const { order, status } = await readTask(ports, task.id);
    if (order !== null || status !== "paused") return order !== null;
    await ports.clock.sleep(POLL_MS, signal);
  }
}

interface Finished<T> {
  readonly result: T;
}

/** Null if the task stopped waiting, or got the lock but may not publish now. */
async function tryPublish<T>(context: StepContext, { hasStarted, work }: PublishWork<T>): Promise<Finished<T> | null> {
  const { ports, project, signal } = context;
  const lock: { state: LockState } = { state: "waiting" };
  const result = withTaskLock(ports, `publish ${project.name}`, async () => {
    if (lock.state === "abandoned") return null;
    lock.state = "held";
    signal.throwIfAborted();
    if (!hasStarted && ((await isStoppedOrPaused(context)) || (await isAnotherPublishing(context)))) return null;
    return { result: await work() };
  });
  while (isWaiting(lock)) {
    await Promise.race([result, ports.clock.sleep(POLL_MS)]);
    const shouldAbandon = signal.aborted || (!hasStarted && (await isStoppedOrPaused(context)));
    if (shouldAbandon && isWaiting(lock)) lock.state = "abandoned";
  }
  return lock.state === "abandoned" ? null : result;
}

type LockState = "waiting" | "held" | "abandoned";

/** A function, because the callback changes the state and TypeScript would narrow its type. */
function isWaiting({ state }: { readonly state: LockState }): boolean {
  return state === "waiting";
}

/** A paused night must not hold the lock. */
async function isStoppedOrPaused({ ports, task }: StepContext): Promise<boolean> {
  const { order, status } = await readTask(ports, task.id);
  return order !== null || status === "paused";
}

/** The lock is local to this daemon. An agent started by an earlier daemon may still publish without holding it. */
async function isAnotherPublishing({ ports, run, project }: StepContext): Promise<boolean> {
  for (const { id, role, task } of await ports.store.tasks.listOpenRuns()) {
    if (role !== "publish" || id === run.id || !(await wasStarted(ports, id))) continue;
    if ((await readTask(ports, task)).project === project.name) return true;
  }
  return false;
}
