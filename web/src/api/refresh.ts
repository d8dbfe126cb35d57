import type { Query, QueryClient } from "@tanstack/react-query";
import { subscribeToLive } from "./live.ts";

/** Events come in bursts, and each view needs the newest state only. */
const REFRESH_MS = 500;

/** Loads what is on the screen again when events say that it changed. */
export function refreshOnEvents(client: QueryClient): void {
  const changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | null = null;

  function refresh(): void {
    const ids = [...changed];
    changed.clear();
    timer = ids.length === 0 ? null : setTimeout(refresh, REFRESH_MS);
    if (ids.length > 0) void client.invalidateQueries({ predicate: (query) => isAffected(query, ids) });
  }

  subscribeToLive((message) => {
    if (message.kind === "reset") void client.invalidateQueries();
    if (message.kind !== "event") return;
    changed.add(message.event.task ?? "");
    if (message.event.run !== null) changed.add(message.event.run);
    timer ??= setTimeout(refresh, 0);
  });
}

/** Data of one task or run is affected by its own events, everything else by all events. */
export function isAffected(query: Pick<Query, "queryKey" | "meta">, ids: readonly string[]): boolean {
  if (query.meta?.["live"] === false) return false;
  const [route, options] = query.queryKey as readonly [string, { readonly params?: { readonly id?: string } }];
  const id = options.params?.id;
  if (id === undefined || !/^GET \/(tasks|runs)\/:id/.test(route)) return true;
  return ids.some((changed) => changed.startsWith(id) || changed.replace(/^(task|run)_/, "").startsWith(id));
}
