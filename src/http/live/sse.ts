import { setImmediate as nextTurn } from "node:timers/promises";

/** Source of an event stream. It remembers the reader's position. */
export interface SseSource {
  /** Returns the next chunk, or null if there is none yet. The stream ends after a chunk with `last`. */
  read(): Promise<SseChunk | null>;
  /** Calls `wake` whenever there may be more to read. Returns a function that unsubscribes. */
  watch(wake: () => void): () => void;
}

export interface SseChunk {
  readonly text: string;
  readonly last: boolean;
}

export interface SseOptions {
  /** Interval of comments while nothing happens, so that proxies do not close the connection. */
  readonly heartbeatMs: number;
  /** A client that reads nothing for this long is disconnected. It can resume with the last id that it received. */
  readonly stallMs: number;
  /** Destroys the connection. A stalled client would keep the stream from closing normally. */
  readonly cut: () => void;
  /** False once the caller's token was removed or their session expired. The stream ends then. */
  readonly isAllowed: () => Promise<boolean>;
  /** Calls `wake` whenever `isAllowed` may have changed. Returns a function that unsubscribes. */
  readonly watchAccess: (wake: () => void) => () => void;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
  readonly onError: (error: unknown) => void;
}

const HEARTBEAT: SseChunk = { text: ":\n\n", last: false };
const LAST_CHUNK: SseChunk = { text: ":\n\n", last: true };

export function sseMessage(message: { readonly id: number; readonly event?: string; readonly data: unknown }): string {
  const event = message.event === undefined ? "" : `event: ${message.event}\n`;
  return `id: ${message.id}\n${event}data: ${JSON.stringify(message.data)}\n\n`;
}

/**
 * Reads the source only when the connection accepts more data. A slow client therefore costs one chunk of memory instead of
 * a growing queue, and stored and live events come from the same source without a gap.
 */
export function sseResponse(source: SseSource, options: SseOptions): Response {
  const signal = createWakeSignal();
  const encoder = new TextEncoder();
  let unwatch: (() => void) | null = null;
  let stalled: NodeJS.Timeout | undefined;
  const gone = new AbortController();

  function start(): () => void {
    options.closing.addEventListener("abort", signal.notify);
    const stops = [source.watch(signal.notify), options.watchAccess(signal.notify)];
    return () => stops.forEach((stop) => stop());
  }

  function release(): void {
    gone.abort();
    clearTimeout(stalled);
    options.closing.removeEventListener("abort", signal.notify);
    unwatch?.();
    signal.notify();
  }

  async function next(): Promise<SseChunk> {
    while (!gone.signal.aborted && !options.closing.aborted) {
      signal.reset();
      const chunk = await source.read();
      if (!(await options.isAllowed())) return LAST_CHUNK;
      if (chunk !== null) {
        // A source with a long history is read without waiting for anything. Other requests get their turn in between.
        await takeTurn();
        return chunk;
      }
      if (!(await signal.wait(options.heartbeatMs))) return HEARTBEAT;
    }
    return LAST_CHUNK;
  }

  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stalled);
        unwatch ??= start();
        try {
          const chunk = await next();
          if (gone.signal.aborted) return;
          controller.enqueue(encoder.encode(chunk.text));
          if (!chunk.last) {
            stalled = setTimeout(() => {
              release();
              options.cut();
            }, options.stallMs).unref();
            return;
          }
          release();
          controller.close();
        } catch (error) {
          release();
          options.onError(error);
          controller.error(error);
        }
      },
      cancel: release,
    },
    // Zero means that nothing is read ahead, so a response that is never read holds no resources.
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": "text/event-stream", "x-accel-buffering": "no" } });
}

let lastTurn: Promise<void> = Promise.resolve();

/** Waits for a turn of the event loop that no other stream has. Twenty long histories delay requests no more than one. */
function takeTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => nextTurn());
  return lastTurn;
}

/** A signal that stays set until it is reset, so that a notification between a read and the wait is not lost. */
function createWakeSignal() {
  let isSet = false;
  let listener: (() => void) | null = null;
  return {
    notify(): void {
      isSet = true;
      listener?.();
    },
    reset(): void {
      isSet = false;
    },
    /** Resolves to false on timeout. */
    async wait(timeoutMs: number): Promise<boolean> {
      if (isSet) return true;
      return await new Promise((resolve) => {
        const settle = (result: boolean) => {
          clearTimeout(timer);
          listener = null;
          resolve(result);
        };
        const timer = setTimeout(settle, timeoutMs, false).unref();
        listener = () => settle(true);
      });
    },
  };
}
