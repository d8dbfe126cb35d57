import type { StoreReader } from "../../ports/store-mutations.ts";
import { createEventRing, eventText, type Reading, type RingSize } from "./event-ring.ts";
import { type SseSource, sseMessage } from "./sse.ts";

export interface EventFeed {
  /** Events after an id, or from now on where it is null; of one task or of all. */
  source(after: number | null, task: string | null): SseSource;
  /** How many are watching. */
  watchers(): number;
  close(): void;
}

type EventStore = Pick<StoreReader, "events">;

const RING: RingSize = { events: 2000, characters: 4 * 1024 * 1024 };
/** The first event of a burst leaves at once; those that follow are gathered this long, for one write. */
const BATCH_MS = 16;
const PAGE = 200;

/**
 * Every watcher has its own cursor. The newest events stand in a ring; who is behind it reads the store. Both hold the
 * same ids in the same order, so moving from one to the other can neither skip nor repeat.
 */
export function openEventFeed(store: EventStore, size: RingSize = RING): EventFeed {
  const ring = createEventRing(size);
  const watchers = new Set<() => void>();
  let timer: NodeJS.Timeout | null = null;
  let gathered = false;

  function tell(): void {
    gathered = false;
    for (const wake of watchers) wake();
    timer = setTimeout(() => {
      timer = null;
      if (gathered) tell();
    }, BATCH_MS);
  }

  const unsubscribe = store.events.onEvents((events) => {
    ring.add(events);
    if (timer === null) tell();
    else gathered = true;
  });

  function source(after: number | null, task: string | null): SseSource {
    let cursor: number | null = null;
    return {
      async read() {
        if (cursor === null) {
          cursor = await startOf(store, after);
          // Tells where the stream starts: a reader cut off before its first event still knows where to go on.
          return { text: `retry: 1000\n${sseMessage({ id: cursor, event: "ready", data: {} })}`, last: false };
        }
        const found = ring.covers(cursor) ? ring.readAfter(cursor, task) : await readStore(store, cursor, task);
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
  // An id from before the database was replaced by an older one would wait for ever.
  return after === null ? last : Math.min(after, last);
}

async function readStore(store: EventStore, cursor: number, task: string | null): Promise<Reading> {
  // Asked before the page is read: whatever is committed up to here is in the page, so the cursor may move there even
  // when the newest events are of other tasks.
  const committed = await store.events.lastEventId();
  const events = await store.events.listEvents({ after: cursor, task, limit: PAGE });
  const last = events.at(-1)?.id ?? cursor;
  return { text: events.map(eventText).join(""), cursor: events.length === PAGE ? last : Math.max(last, committed) };
}
