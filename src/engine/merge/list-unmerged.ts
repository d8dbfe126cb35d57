import type { Task } from "../../core/task/task.ts";
import type { Period } from "../../ports/store.ts";
import type { StoreReader } from "../../ports/store-mutations.ts";

type UnmergedPorts = { readonly store: Pick<StoreReader, "tasks" | "events"> };

interface UnmergedQuery {
  /** Null means all. */
  readonly project: string | null;
  readonly now: number;
}

/** After this time, a branch that no person merged is probably not wanted. */
const WANTED_MS = 14 * 86_400_000;
const MAX_TASKS = 100;

/** Tasks that ended when their branch was published to a remote without a forge, and that no person has merged since. Newest first. */
export async function listUnmerged(
  { store }: UnmergedPorts,
  { project, now }: UnmergedQuery,
): Promise<readonly Task[]> {
  const since = now - WANTED_MS;
  const query = { status: ["succeeded"] as const, state: null, project, cursor: null, limit: MAX_TASKS };
  const { rows } = await store.tasks.listTasks({ ...query, isPublished: true, variants: "hide" });
  const tasks = rows.filter(
    ({ outcome, published, finishedAt }) => outcome !== "merged" && published != null && (finishedAt ?? 0) >= since,
  );
  if (tasks.length === 0) return [];
  const [requests, merged] = await Promise.all([
    store.tasks.listChangeRequests(tasks.map(({ id }) => id)),
    findMerged({ store }, { since, until: now + 1 }),
  ]);
  return tasks.filter(({ id }) => !requests.has(id) && !merged.has(id));
}

/** Ids of tasks whose change was merged in this period, as the forge or the remote said. */
export async function findMerged({ store }: UnmergedPorts, period: Period): Promise<ReadonlySet<string>> {
  const events = await store.events.listEventsIn(period, ["request.merged"]);
  return new Set(events.flatMap(({ task }) => task ?? []));
}
