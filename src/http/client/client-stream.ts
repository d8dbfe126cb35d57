import type { EventSourceMessage } from "eventsource-parser";
import { failOnProblem, ProblemError, UnreachableError, UnresponsiveError } from "./client-errors.ts";

export interface StreamParams {
  readonly address: string;
  /** Headers that authenticate the caller. */
  readonly authorization: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Continue after this id. Null starts with new messages. */
  readonly from: number | null;
  readonly onConnection?: ((isConnected: boolean) => void) | undefined;
}

/** A daemon that accepts the connection but sends no headers for this long hangs. */
const CONNECT_TIMEOUT_MS = 15_000;
/** Three missed heartbeats: the connection is dead, even if TCP has not noticed. */
const IDLE_TIMEOUT_MS = 45_000;
const MIN_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5000;
/** A restart of the daemon takes a second or two. */
const RECONNECT_TIMEOUT_MS = 30_000;

/**
 * Yields the messages of a stream and reconnects after the last id seen. Throws at once if the first connection fails, if
 * the daemon rejects the request, or if it hangs.
 */
export async function* followStream(params: StreamParams): AsyncGenerator<EventSourceMessage, void> {
  const { address, signal } = params;
  let lastId = params.from;
  let connected = false;
  let backoffMs = MIN_BACKOFF_MS;
  let disconnectedMs = 0;
  while (!signal.aborted) {
    try {
      for await (const message of readOnce({ ...params, from: lastId })) {
        if (message.id !== undefined) lastId = Number(message.id);
        if (!connected || disconnectedMs > 0) params.onConnection?.(true);
        connected = true;
        backoffMs = MIN_BACKOFF_MS;
        disconnectedMs = 0;
        yield message;
        if (signal.aborted) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if ((error instanceof ProblemError && error.status < 500) || error instanceof UnresponsiveError) throw error;
      if (!connected || disconnectedMs >= RECONNECT_TIMEOUT_MS) {
        throw error instanceof ProblemError ? error : new UnreachableError(address, error);
      }
      params.onConnection?.(false);
    }
    const delayMs = backoffMs * (0.5 + Math.random() / 2);
    await sleep(delayMs, signal);
    disconnectedMs += delayMs;
    backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS);
  }
}

/** Yields the messages of one connection. */
async function* readOnce({
  address,
  authorization,
  signal,
  from,
}: StreamParams): AsyncGenerator<EventSourceMessage, void> {
  const { createParser } = await import("eventsource-parser");
  const idle = new AbortController();
  const startTimer = (ms: number) => setTimeout(() => idle.abort(new UnresponsiveError(address)), ms);
  let timer = startTimer(CONNECT_TIMEOUT_MS);
  try {
    const response = await fetch(address, {
      headers: {
        ...authorization,
        accept: "text/event-stream",
        ...(from !== null && { "last-event-id": String(from) }),
      },
      signal: AbortSignal.any([signal, idle.signal]),
    });
    await failOnProblem(response);
    let messages: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (message) => messages.push(message) });
    const decoder = new TextDecoder();
    for await (const bytes of readChunks(response)) {
      clearTimeout(timer);
      timer = startTimer(IDLE_TIMEOUT_MS);
      parser.feed(decoder.decode(bytes, { stream: true }));
      const ready = messages;
      messages = [];
      yield* ready;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Some browsers cannot iterate over a stream with `for await`. */
async function* readChunks({ body }: Response): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
  } finally {
    // Closes the connection if the caller stopped early.
    await reader.cancel().catch(() => {});
  }
}

/** Resolves early if the signal aborts. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
