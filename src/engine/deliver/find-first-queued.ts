import type { Event } from "../../core/task/event.ts";
import type { EnginePorts } from "../ports.ts";

const PAGE = 1_000;

/** The first event in which the task was queued for this reason, or null. */
export async function findFirstQueued(store: EnginePorts["store"], task: string, kind: unknown): Promise<Event | null> {
  for (let after = 0; ;) {
    const page = await store.events.listEvents({ after, task, limit: PAGE });
    const found = page.find(({ type, data }) => type === "task.queued" && data["kind"] === kind);
    const last = page.at(-1);
    if (found !== undefined || last === undefined) return found ?? null;
    after = last.id;
  }
}
