import { useEffect, useSyncExternalStore } from "react";

let current: string | null = null;
const listeners = new Set<() => void>();

function set(next: string | null): void {
  current = next;
  for (const listener of listeners) listener();
}

/** Says which task of the view the person has selected, so that the command palette can act on it. */
export function useMarkCurrentTask(id: string | null): void {
  useEffect(() => {
    set(id);
    return () => set(null);
  }, [id]);
}

/** The id of the selected task, or null. */
export function useCurrentTask(): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
