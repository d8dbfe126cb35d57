import type { Event } from "../../core/task/event.ts";
import { sseMessage } from "./sse.ts";
import { viewEvent } from "../views/views.ts";

/** A ring buffer of the latest events, bounded in number and size. Each event is serialized once for all readers. */
export interface EventRing {
  add(events: readonly Event[]): void;
  /** True if the buffer has all events after `cursor`. */
  covers(cursor: number): boolean;
  /** Reads one chunk of events after `cursor`. The new cursor also skips the events of other tasks. */
  readAfter(cursor: number, task: string | null): EventChunk;
}

export interface EventChunk {
  readonly text: string;
  readonly cursor: number;
}

export interface RingSize {
  readonly events: number;
  readonly characters: number;
}

interface Frame {
  readonly id: number;
  readonly task: string | null;
  readonly text: string;
}

const CHUNK_CHARACTERS = 256 * 1024;

export function createEventRing(size: RingSize): EventRing {
  const frames: Frame[] = [];
  let characters = 0;
  /** The buffer has all events with a greater id. Null before the first event. */
  let floor: number | null = null;

  function dropOldest(): void {
    const oldest = frames.shift();
    if (oldest === undefined) return;
    characters -= oldest.text.length;
    floor = oldest.id;
  }

  return {
    add(events) {
      for (const event of events) {
        const text = eventText(event);
        floor ??= event.id - 1;
        frames.push({ id: event.id, task: event.task, text });
        characters += text.length;
      }
      while (frames.length > size.events || characters > size.characters) dropOldest();
    },
    covers(cursor) {
      return floor !== null && cursor >= floor;
    },
    readAfter(cursor, task) {
      // Search from the end, because most readers are up to date.
      const start = frames.findLastIndex((frame) => frame.id <= cursor) + 1;
      let text = "";
      let at = cursor;
      for (let index = start; index < frames.length && text.length < CHUNK_CHARACTERS; index += 1) {
        const frame = frames[index];
        if (frame === undefined) break;
        if (task === null || frame.task === task) text += frame.text;
        at = frame.id;
      }
      return { text, cursor: at };
    },
  };
}

export function eventText(event: Event): string {
  return sseMessage({ id: event.id, data: viewEvent(event) });
}
