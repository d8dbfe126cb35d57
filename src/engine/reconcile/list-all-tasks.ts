import type { Task } from "../../core/task/task.ts";
import type { ListTasksQuery, Page, Store } from "../../ports/store.ts";

const PAGE = 200;

/** All tasks that the query finds, page by page. */
export async function listAllTasks(store: Store, query: Partial<ListTasksQuery>): Promise<readonly Task[]> {
  const found: Task[] = [];
  for (let cursor: string | null = null; ;) {
    const base = { status: null, state: null, project: null, limit: PAGE };
    const page: Page<Task> = await store.tasks.listTasks({ ...base, ...query, cursor });
    found.push(...page.rows);
    cursor = page.next;
    if (cursor === null) return found;
  }
}
