import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { EventJson } from "../../../../src/http/client/client.ts";
import { api } from "../../api/client.ts";

const PAGE = 1000;
const MAX_PAGES = 20;

/** All events of a task, oldest first. Events are only added, so a reload asks for the new ones. */
export function useTaskEvents(id: string): UseQueryResult<readonly EventJson[]> {
  // Begins like the keys of `useApi`, so that events of the task load it again.
  const queryKey = ["GET /tasks/:id/events", { params: { id }, pages: "all" }] as const;
  return useQuery({
    queryKey,
    queryFn: async ({ client, signal }) => {
      const known = client.getQueryData<readonly EventJson[]>(queryKey) ?? [];
      const more = await readEventsAfter(id, known.at(-1)?.id ?? 0, signal);
      return more.length === 0 ? known : [...known, ...more];
    },
  });
}

async function readEventsAfter(id: string, last: number, signal: AbortSignal): Promise<readonly EventJson[]> {
  const found: EventJson[] = [];
  for (let after: number | null = last, page = 0; after !== null && page < MAX_PAGES; page += 1) {
    const query: { after: number; limit: number } = { after, limit: PAGE };
    const reply = await api.call("GET /tasks/:id/events", { params: { id }, query, signal });
    found.push(...reply.events);
    after = reply.next;
  }
  return found;
}
