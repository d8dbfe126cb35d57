import type { Store } from "../ports/store.ts";

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
