import { type InfiniteData, useInfiniteQuery, type UseInfiniteQueryResult } from "@tanstack/react-query";
import type { TaskStatus } from "../../../../../src/core/task/task.ts";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { api } from "../../../api/client.ts";
import type { Reply } from "../../../api/queries.ts";
import { type TaskFilter, toQuery } from "../filter.ts";
import { uniqueTasks } from "./rows.ts";

type Data = InfiniteData<Reply<"GET /tasks">, string | null>;

export interface LoadedTasks {
  readonly tasks: readonly TaskJson[];
  readonly hasMore: boolean;
}
export type TaskPages = UseInfiniteQueryResult<LoadedTasks>;

export interface PagesOf {
  readonly filter: TaskFilter;
  readonly status?: TaskStatus;
  readonly state?: string;
  readonly isEnabled: boolean;
  readonly pageSize?: number;
}

/** Tasks, newest first, page by page. `useRefresh` loads them again; not every event has to. */
export function useTaskPages({ filter, status, state, isEnabled, pageSize = 100 }: PagesOf): TaskPages {
  const query = {
    ...toQuery(filter),
    ...(status !== undefined && { status }),
    ...(state !== undefined && { state }),
    limit: pageSize,
  };
  return useInfiniteQuery({
    queryKey: ["GET /tasks", { query, pages: true }],
    queryFn: async ({ pageParam, signal }) =>
      await api.call("GET /tasks", { query: { ...query, ...(pageParam !== null && { cursor: pageParam }) }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    select: toLoadedTasks,
    enabled: isEnabled,
    meta: { live: false },
  });
}

function toLoadedTasks({ pages }: Data): LoadedTasks {
  return { tasks: uniqueTasks(pages), hasMore: pages.at(-1)?.next != null };
}
