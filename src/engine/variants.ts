import type { Run } from "../core/task/run.ts";
import type { Task } from "../core/task/task.ts";
import { allVariantKeys, variantKeys } from "../core/task/variants.ts";
import type { StoreReader } from "../ports/store-mutations.ts";

type ReadTasks = { readonly store: Pick<StoreReader, "tasks"> };

const MAX_RUNS = 1_000;

/** The variants that the task waits for or chose from. Null for one that was not created yet. */
export function loadVariants({ store }: ReadTasks, task: Task): Promise<readonly (Task | null)[]> {
  return Promise.all(variantKeys(task).map((key) => store.tasks.getTaskByKey(key)));
}

/** All variants of the task, also those of rounds before a retry. */
export async function listVariants({ store }: ReadTasks, task: Task): Promise<readonly Task[]> {
  const found = await Promise.all(allVariantKeys(task).map((key) => store.tasks.getTaskByKey(key)));
  return found.filter((variant) => variant !== null);
}

/** The runs whose cost counts for the task: its own and those of its variants. */
export async function listPaidRuns(ports: ReadTasks, task: Task): Promise<readonly Run[]> {
  const ids = [task, ...(await listVariants(ports, task))].map(({ id }) => id);
  const runs = await Promise.all(ids.map((id) => listRuns(ports, id)));
  return runs.flat();
}

function listRuns({ store }: ReadTasks, task: string): Promise<readonly Run[]> {
  return store.tasks.listRuns({ task, status: null, project: null, limit: MAX_RUNS });
}
