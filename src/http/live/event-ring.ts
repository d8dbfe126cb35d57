import type { Event } from "../../core/task/event.ts";
import { sseMessage } from "./sse.ts";
import { viewEvent } from "../views/views.ts";

/** The newest events as text made once for all readers, bounded in number and size. */
export interface EventRing {
  add(events: readonly Event[]): void;
  /** True when every event after `cursor` stands here. */
  covers(cursor: number): boolean;
  /** What comes after `cursor`, up to a chunk; the new cursor is past the events of other tasks too. */
  readAfter(cursor: number, task: string | null): Reading;
}

export interface Reading {
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
  /** Every event with a greater id is here; null before the first. */
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
      // Readers are near the end as a rule.
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
