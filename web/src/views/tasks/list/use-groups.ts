import type { TaskStatus } from "../../../../../src/core/task/task.ts";
import type { TaskFilter } from "../filter.ts";
import { useTaskCounts } from "../use-task-counts.ts";
import { GROUP_ORDER, type TaskGroup } from "./rows.ts";
import { useRefresh } from "./use-refresh.ts";
import { type PagesOf, type TaskPages, useTaskPages } from "./use-task-pages.ts";

export interface Groups {
  readonly groups: readonly TaskGroup[];
  /** True until the first page of each group is there. */
  readonly isLoading: boolean;
  readonly error: Error | null;
  retry(): void;
  loadMore(status: TaskStatus): void;
}

const LIVE: readonly TaskStatus[] = ["running", "waiting", "queued", "paused"];

/** The tasks that match the filter, by status. Folded groups are not loaded. */
export function useGroups(filter: TaskFilter, folded: readonly TaskStatus[]): Groups {
  const isWanted = (status: TaskStatus): boolean => filter.status.length === 0 || filter.status.includes(status);
  const of = (status: TaskStatus): PagesOf => ({
    filter,
    status,
    isEnabled: isWanted(status) && !folded.includes(status),
  });
  const pages: Readonly<Record<TaskStatus, TaskPages>> = {
    running: useTaskPages(of("running")),
    waiting: useTaskPages(of("waiting")),
    queued: useTaskPages(of("queued")),
    paused: useTaskPages(of("paused")),
    failed: useTaskPages(of("failed")),
    succeeded: useTaskPages(of("succeeded")),
    cancelled: useTaskPages(of("cancelled")),
  };
  const { counts, error: countError } = useTaskCounts(filter);
  useRefresh(
    GROUP_ORDER.map((status) => ({
      pages: pages[status],
      count: counts?.[status] ?? null,
      isLive: LIVE.includes(status),
    })),
  );
  const all = Object.values(pages);
  return {
    groups: GROUP_ORDER.filter(isWanted).map((status): TaskGroup => {
      const { data } = pages[status];
      const count = counts?.[status] ?? null;
      return {
        status,
        count,
        tasks: data?.tasks ?? [],
        isFolded: folded.includes(status),
        hasMore: data?.hasMore ?? (count ?? 0) > 0,
      };
    }),
    isLoading: all.some(({ isLoading }) => isLoading),
    error: all.find(({ error }) => error !== null)?.error ?? countError,
    retry: () => {
      for (const query of all) if (query.error !== null) void query.refetch();
    },
    loadMore: (status) => {
      const query = pages[status];
      if (query.hasNextPage && !query.isFetching) void query.fetchNextPage();
    },
  };
}
