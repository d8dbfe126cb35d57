import { useEffect, useRef } from "react";
import { subscribeToLive } from "../../../api/live.ts";
import type { TaskPages } from "./use-task-pages.ts";

export interface RefreshedPages {
  readonly pages: TaskPages;
  /** As counted by the server. A change means that a task came or went. */
  readonly count: number | null;
  /** Its tasks change all the time, and there are few of them. */
  readonly isLive: boolean;
}

const REFRESH_MS = 500;

/** Loads pages again when events are about their tasks. Of ended tasks, many pages may be loaded, and they rarely change. */
export function useRefresh(lists: readonly RefreshedPages[]): void {
  const latest = useRef(lists);
  const counts = useRef<readonly (number | null)[]>([]);
  useEffect(() => {
    latest.current = lists;
    const before = counts.current;
    counts.current = lists.map(({ count }) => count);
    for (const [index, { pages, count }] of lists.entries())
      if (pages.data !== undefined && before[index] != null && count !== null && before[index] !== count)
        void pages.refetch();
  });

  useEffect(() => {
    const changed = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | null = null;
    const refresh = (): void => {
      timer = null;
      for (const { pages, isLive } of latest.current)
        if (pages.data !== undefined && (isLive || hasAny(pages, changed))) void pages.refetch();
      changed.clear();
    };
    const unsubscribe = subscribeToLive((message) => {
      if (message.kind === "reset") for (const { pages } of latest.current) void pages.refetch();
      if (message.kind !== "event" || message.event.task === null) return;
      changed.add(message.event.task);
      timer ??= setTimeout(refresh, REFRESH_MS);
    });
    return () => {
      unsubscribe();
      if (timer !== null) clearTimeout(timer);
    };
  }, []);
}

function hasAny({ data }: TaskPages, ids: ReadonlySet<string>): boolean {
  return data?.tasks.some(({ id }) => ids.has(id)) ?? false;
}
