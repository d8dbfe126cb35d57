import type { Event } from "../../core/task/event.ts";
import type { Run } from "../../core/task/run.ts";
import type { EnginePorts } from "../ports.ts";

const PAGE = 1000;

/** All events of a run so far, oldest first. */
export async function listRunEvents(
  { store }: Pick<EnginePorts, "store">,
  run: Pick<Run, "id" | "task">,
): Promise<readonly Event[]> {
  const found: Event[] = [];
  for (let after = 0; ;) {
    const page = await store.events.listEvents({ after, task: run.task, limit: PAGE });
    found.push(...page.filter((event) => event.run === run.id));
    const last = page.at(-1);
    if (last === undefined) return found;
    after = last.id;
  }
}
