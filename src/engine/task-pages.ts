import type { Task } from "../core/task/task.ts";
import type { Page, Store } from "../ports/store.ts";
import type { ListTasksQuery } from "../ports/store-task-queries.ts";

const PAGE = 200;

type TaskFilter = Partial<Omit<ListTasksQuery, "cursor" | "limit">>;

/** All tasks that match, newest first. Only for filters that few tasks match. */
export async function listAllTasks(
  { store }: { readonly store: { readonly tasks: Pick<Store["tasks"], "listTasks"> } },
  filter: TaskFilter,
): Promise<readonly Task[]> {
  const query = { status: null, state: null, project: null, ...filter, limit: PAGE };
  const found: Task[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Task> = await store.tasks.listTasks({ ...query, cursor });
    found.push(...page.rows);
    cursor = page.next;
  } while (cursor !== null);
  return found;
}
