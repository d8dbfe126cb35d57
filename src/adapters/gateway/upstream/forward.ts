import type { ServerResponse } from "node:http";
import { BATCH, FRONT, newBatch, writeBatch } from "../meter/batch.ts";
import type { Connection } from "./connection.ts";
import type { UsageDropper } from "../meter/drop-usage.ts";

export interface Outlet {
  /** Copies it: it is only lent. */
  push(piece: Buffer): void;
  end(): void;
  /** All that came is looked at, whether it can still leave or not. */
  settle(): void;
  /** No more comes, and the client shall see that it was not the end. */
  breakOff(): void;
}

interface OutletParams {
  /** Its head is written. */
  readonly response: ServerResponse;
  /** Sees everything before it leaves; it is only lent. */
  readonly look: (bytes: Buffer) => void;
  /** Null: all of it leaves as it came. */
  readonly dropper: UsageDropper | null;
  readonly source: Pick<Connection, "pause" | "resume">;
}

/** What has come and is not yet on its way to the client may grow to this before its source has to wait. */
const MOST_WAITING = 256 * 1024;
/** A look costs about the same for one word and for many: as much may wait for it, though not for longer than to leave. */
const UNSEEN = 4 * 1024;
/**
 * For as long words wait for the next ones, where some left just before. Nobody reads along at night, and each write wakes a
 * process that then parses a single event. The first word and the end never wait.
 */
const GATHER_MS = 100;

/**
 * Hands on what comes in few writes of many bytes: TLS delivers at most 16 KB at a time, and a write for each of them is what
 * a bare pipe spends most of its time on.
 */
export function createOutlet({ response, look, dropper, source }: OutletParams): Outlet {
  /** Written already, and free to be filled again. */
  const spare: Buffer[] = [];
  let batch = newBatch();
  let filled = 0;
  let seen = 0;
  let waiting = 0;
  let leftAt = -GATHER_MS;
  let isPaused = false;
  let isOver = false;
  let timer: NodeJS.Timeout | null = null;

  function settle(): void {
    if (seen === filled) return;
    const unseen = batch.subarray(FRONT + seen, FRONT + filled);
    seen = filled;
    look(unseen);
  }

  function flush(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    settle();
    const [full, bytes] = [batch, filled];
    filled = seen = 0;
    // The look may have been the last.
    if (bytes === 0 || response.destroyed) return;
    batch = spare.pop() ?? newBatch();
    leftAt = performance.now();
    waiting += bytes;
    if (waiting >= MOST_WAITING) wait(true);
    const whole = full.subarray(FRONT, FRONT + bytes);
    writeBatch(response, { full, whole, sent: dropper?.push(whole) ?? whole }, () => {
      waiting -= bytes;
      if (spare.length < MOST_WAITING / BATCH) spare.push(full);
      if (waiting < MOST_WAITING) wait(false);
    });
  }

  function wait(isToWait: boolean): void {
    // After the end the connection may carry somebody else's answer.
    if (isOver || isToWait === isPaused) return;
    isPaused = isToWait;
    if (isToWait) source.pause();
    else source.resume();
  }

  function copy(piece: Buffer): void {
    for (let from = 0; from < piece.length;) {
      const until = Math.min(piece.length, from + BATCH - filled);
      piece.copy(batch, FRONT + filled, from, until);
      filled += until - from;
      from = until;
      if (filled === BATCH) flush();
      else if (filled - seen >= UNSEEN) settle();
    }
  }

  return {
    push(piece) {
      copy(piece);
      if (filled === 0 || timer !== null) return;
      const since = performance.now() - leftAt;
      if (since >= GATHER_MS) flush();
      else timer = setTimeout(flush, GATHER_MS - since);
    },
    end() {
      isOver = true;
      flush();
      if (!response.destroyed) response.end(dropper?.end());
    },
    settle,
    breakOff() {
      flush();
      // What came before gets its turn to leave.
      setImmediate(() => response.destroy());
    },
  };
}
