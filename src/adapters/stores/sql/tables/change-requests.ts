import type { TaskChangeRequest } from "../../../../core/task/task.ts";
import { fromJson } from "../json.ts";
import type { Db } from "../schema.ts";

const STATES = { "request.merged": "merged", "request.closed": "closed", "request.reopened": "open" } as const;
type RequestEvent = keyof typeof STATES;
const REQUEST_EVENTS = Object.keys(STATES) as readonly RequestEvent[];

/** The artifact names the change request; the events say what became of it, also after the task has ended. */
export async function listChangeRequests(
  db: Db,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, TaskChangeRequest>> {
  if (taskIds.length === 0) return new Map();
  const artifacts = await db
    .selectFrom("artifacts")
    .select(["task", "url", "data"])
    .where("task", "in", taskIds)
    .where("type", "=", "change_request")
    .orderBy("id")
    .execute();
  const found = new Map(
    artifacts.flatMap(({ task, url, data }): [string, TaskChangeRequest][] => {
      const { number } = fromJson<Readonly<Record<string, unknown>>>(data);
      return url === null || typeof number !== "number" ? [] : [[task, { number, url, state: "open", endedAt: null }]];
    }),
  );
  if (found.size === 0) return found;
  const events = await db
    .selectFrom("events")
    .select(["task", "type", "at", "data"])
    .where("task", "in", [...found.keys()])
    .where("type", "in", REQUEST_EVENTS)
    .orderBy("id")
    .execute();
  for (const { task, type, at, data } of events) {
    const request = found.get(task ?? "");
    const { url } = fromJson<Readonly<Record<string, unknown>>>(data);
    if (request === undefined || task === null || url !== request.url) continue;
    const state = STATES[type as RequestEvent];
    found.set(task, { ...request, state, endedAt: state === "open" ? null : at });
  }
  return found;
}

/** Those of the tasks whose change was merged, also where there is no forge. */
export async function listMergedTasks(db: Db, taskIds: readonly string[]): Promise<ReadonlySet<string>> {
  const events = await db
    .selectFrom("events")
    .select("task")
    .where("task", "in", taskIds)
    .where("type", "=", "request.merged")
    .execute();
  return new Set(events.flatMap(({ task }) => task ?? []));
}
