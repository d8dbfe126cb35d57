/** Something that can be read on from where its reader stands. It remembers the place itself. */
export interface SseSource {
  /** What is there now; null when there is nothing more yet. After `last` the stream ends. */
  read(): Promise<SseChunk | null>;
  /** Calls `wake` whenever there may be more. Returns the way to stop. */
  watch(wake: () => void): () => void;
}

export interface SseChunk {
  readonly text: string;
  readonly last: boolean;
}

export interface SseOptions {
  /** A comment this often while nothing happens, so that nobody in between thinks the connection dead. */
  readonly heartbeatMs: number;
  /** A reader that takes nothing for this long is cut off; it comes back with the last id it saw. */
  readonly stallMs: number;
  /** Ends the connection below the stream, which a stalled reader keeps from closing by itself. */
  readonly cut: () => void;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
  readonly onError: (error: unknown) => void;
}

const HEARTBEAT: SseChunk = { text: ":\n\n", last: false };
const GOODBYE: SseChunk = { text: ":\n\n", last: true };

export function sseMessage(message: { readonly id: number; readonly event?: string; readonly data: unknown }): string {
  const event = message.event === undefined ? "" : `event: ${message.event}\n`;
  return `id: ${message.id}\n${event}data: ${JSON.stringify(message.data)}\n\n`;
}

/**
 * A stream that reads its source only when the connection takes more: a slow reader costs one chunk of memory, never a
 * growing queue, and there is no seam between what was stored before and what comes live.
 */
export function sseResponse(source: SseSource, options: SseOptions): Response {
  const bell = createBell();
  const encoder = new TextEncoder();
  let unwatch: (() => void) | null = null;
  let stalled: NodeJS.Timeout | undefined;
  const gone = new AbortController();

  function start(): () => void {
    options.closing.addEventListener("abort", bell.ring);
    return source.watch(bell.ring);
  }

  function release(): void {
    gone.abort();
    clearTimeout(stalled);
    options.closing.removeEventListener("abort", bell.ring);
    unwatch?.();
    bell.ring();
  }

  async function next(): Promise<SseChunk> {
    while (!gone.signal.aborted && !options.closing.aborted) {
      bell.hush();
      const chunk = await source.read();
      if (chunk !== null) return chunk;
      if (!(await bell.rings(options.heartbeatMs))) return HEARTBEAT;
    }
    return GOODBYE;
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
    // Zero: nothing is read before somebody takes it, so a response that is never read holds nothing.
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": "text/event-stream", "x-accel-buffering": "no" } });
}

/** A bell that stays rung until hushed, so that no ring between a read and the wait is lost. */
function createBell() {
  let rung = false;
  let listener: (() => void) | null = null;
  return {
    ring(): void {
      rung = true;
      listener?.();
    },
    hush(): void {
      rung = false;
    },
    /** False when it did not ring in time. */
    async rings(withinMs: number): Promise<boolean> {
      if (rung) return true;
      return await new Promise((resolve) => {
        const settle = (result: boolean) => {
          clearTimeout(timer);
          listener = null;
          resolve(result);
        };
        const timer = setTimeout(settle, withinMs, false).unref();
        listener = () => settle(true);
      });
    },
  };
}
