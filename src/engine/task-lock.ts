import type { Store } from "../ports/store.ts";

const turns = new WeakMap<Store, Map<string, Promise<unknown>>>();

/**
 * One at a time for each task: what removes a task's files, and what lets an ended task go on. Whoever has the turn reads
 * the task anew: it may have been taken up again since it was found to have ended.
 */
export async function withTaskLock<T>(
  { store }: { readonly store: Store },
  task: string,
  work: () => Promise<T>,
): Promise<T> {
  const own = turns.get(store) ?? new Map<string, Promise<unknown>>();
  turns.set(store, own);
  const before = own.get(task) ?? Promise.resolve();
  const mine = before.then(work, work);
  const settled = mine.catch(() => undefined);
  own.set(task, settled);
  try {
    return await mine;
  } finally {
    if (own.get(task) === settled) own.delete(task);
  }
}
