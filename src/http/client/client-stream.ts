import type { EventSourceMessage } from "eventsource-parser";
import { failOnProblem, ProblemError, UnreachableError } from "./client-errors.ts";

export interface StreamParams {
  readonly address: string;
  readonly authorization: string;
  readonly signal: AbortSignal;
  /** The id after which to go on; null: from now. */
  readonly from: number | null;
}

/** Three missed heartbeats: the connection is dead, whatever TCP says. */
const SILENCE_MS = 45_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;
/** How long a daemon may stay away before we say so; a restart takes a second or two. */
const PATIENCE_MS = 30_000;

/**
 * The messages of a stream over as many connections as it takes. Each new one starts after the last id seen. A first
 * connection that fails is told at once; a daemon that refuses is believed.
 */
export async function* followStream(params: StreamParams): AsyncGenerator<EventSourceMessage, void> {
  const { address, signal } = params;
  let lastId = params.from;
  let connected = false;
  let wait = FIRST_WAIT_MS;
  let away = 0;
  while (!signal.aborted) {
    try {
      for await (const message of readOnce({ ...params, from: lastId })) {
        if (message.id !== undefined) lastId = Number(message.id);
        connected = true;
        wait = FIRST_WAIT_MS;
        away = 0;
        yield message;
        if (signal.aborted) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ProblemError && error.status < 500) throw error;
      if (!connected || away >= PATIENCE_MS) {
        throw error instanceof ProblemError ? error : new UnreachableError(address, error);
      }
    }
    const pause = wait * (0.5 + Math.random() / 2);
    await sleep(pause, signal);
    away += pause;
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

/** The messages of one connection. */
async function* readOnce({
  address,
  authorization,
  signal,
  from,
}: StreamParams): AsyncGenerator<EventSourceMessage, void> {
  const { createParser } = await import("eventsource-parser");
  const silence = new AbortController();
  const expectBytes = () => setTimeout(() => silence.abort(), SILENCE_MS);
  let timer = expectBytes();
  try {
    const response = await fetch(address, {
      headers: { authorization, accept: "text/event-stream", ...(from !== null && { "last-event-id": String(from) }) },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    await failOnProblem(response);
    let messages: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (message) => messages.push(message) });
    const decoder = new TextDecoder();
    for await (const bytes of readChunks(response)) {
      clearTimeout(timer);
      timer = expectBytes();
      parser.feed(decoder.decode(bytes, { stream: true }));
      const ready = messages;
      messages = [];
      yield* ready;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Not every browser can iterate over a stream. */
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
