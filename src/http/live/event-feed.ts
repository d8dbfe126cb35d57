import type { StoreReader } from "../../ports/store-mutations.ts";
import { viewEvent } from "../views/views.ts";
import { type SseSource, sseMessage } from "./sse.ts";

export interface EventFeed {
  /** Streams the events after the id `after`, or new events if it is null. With `task`, only those of one task. */
  source(after: number | null, task: string | null): SseSource;
  /** Number of open streams. */
  watchers(): number;
  close(): void;
}

type EventStore = Pick<StoreReader, "events">;

/** The first event of a burst is sent at once. Those that follow within this time are sent in one write. */
const BATCH_MS = 16;
const PAGE = 200;

/** Reading events is cheap for the daemon only up to a point, and a reader that missed this many has to reload anyway. */
export const MAX_REPLAY = 10_000;

/** Every watcher has its own cursor and reads from the store, so it neither skips nor repeats an event. */
export function openEventFeed(store: EventStore, maxReplay: number = MAX_REPLAY): EventFeed {
  const watchers = new Set<() => void>();
  let timer: NodeJS.Timeout | null = null;
  let hasMore = false;

  function wakeWatchers(): void {
    hasMore = false;
    for (const wake of watchers) wake();
    timer = setTimeout(() => {
      timer = null;
      if (hasMore) wakeWatchers();
    }, BATCH_MS);
  }

  const unsubscribe = store.events.onEvents(() => {
    if (timer === null) wakeWatchers();
    else hasMore = true;
  });

  function source(after: number | null, task: string | null): SseSource {
    let cursor: number | null = null;
    return {
      async read() {
        if (cursor === null) {
          cursor = await startOf(store, after);
          // Send the start position, so that a client that disconnects before the first event knows where to resume.
          return { text: `retry: 1000\n${sseMessage({ id: cursor, event: "ready", data: {} })}`, last: false };
        }
        const found = await readAfter(store, cursor, { task, maxReplay });
        cursor = found.cursor;
        return found.text === "" ? null : { text: found.text, last: false };
      },
      watch(wake) {
        watchers.add(wake);
        return () => watchers.delete(wake);
      },
    };
  }

  return {
    source,
    watchers: () => watchers.size,
    close() {
      unsubscribe();
      if (timer !== null) clearTimeout(timer);
    },
  };
}

async function startOf(store: EventStore, after: number | null): Promise<number> {
  const last = await store.events.lastEventId();
  // If the database was replaced by an older one, a client with a higher id would wait forever.
  return after === null ? last : Math.min(after, last);
}

interface ReadOptions {
  readonly task: string | null;
  readonly maxReplay: number;
}

async function readAfter(store: EventStore, cursor: number, { task, maxReplay }: ReadOptions) {
  // Read before the page: all events up to this id are in the page, so the cursor may move there even if the latest
  // events belong to other tasks.
  const committed = await store.events.lastEventId();
  // The events of one task are few and found by an index, so their reader may be any distance behind.
  if (task === null && committed - cursor > maxReplay) {
    const data = { missed: committed - cursor };
    return { text: sseMessage({ id: committed, event: "reset", data }), cursor: committed };
  }
  const events = await store.events.listEvents({ after: cursor, task, limit: PAGE });
  const last = events.at(-1)?.id ?? cursor;
  return {
    text: events.map((event) => sseMessage({ id: event.id, data: viewEvent(event) })).join(""),
    cursor: events.length === PAGE ? last : Math.max(last, committed),
  };
}
