import { readDecision } from "../../core/task/decision.ts";
import type { Event } from "../../core/task/event.ts";
import type { DecisionJson } from "../contract/decision.ts";
import type { HttpDeps } from "../deps.ts";
import { findTask } from "../lookup.ts";
import { iso } from "../views/views.ts";
import type { Handlers } from "./handler.ts";

export function decisionLogRoutes({ store }: Pick<HttpDeps, "store">): Handlers<"GET /decisions"> {
  return {
    async "GET /decisions"({ query: { task, cursor = null, limit } }) {
      const id = task === undefined ? null : (await findTask(store, task)).id;
      const page = await store.events.listDecisions({ task: id, cursor, limit });
      return { decisions: await viewDecisions(store, page.rows), next: page.next };
    },
  };
}

async function viewDecisions(store: HttpDeps["store"], events: readonly Event[]): Promise<DecisionJson[]> {
  const ids = [...new Set(events.flatMap(({ task }) => task ?? []))];
  const [tasks, shortIds] = await Promise.all([
    Promise.all(ids.map((id) => store.tasks.getTask(id))),
    store.tasks.shortenIds("task", ids),
  ]);
  const byId = new Map(tasks.flatMap((task) => (task === null ? [] : [[task.id, task] as const])));
  return events.map((event) => {
    const { kind, summary, planHash, via } = readDecision(event);
    const id = event.task ?? "";
    const task = byId.get(id);
    return {
      id: event.id,
      at: iso(event.at),
      task: id,
      short_id: shortIds.get(id) ?? id,
      title: task?.title ?? null,
      project: task?.project ?? null,
      kind,
      by: { kind: event.actor.kind, name: event.actor.name },
      via,
      summary,
      plan_hash: planHash,
    };
  });
}
