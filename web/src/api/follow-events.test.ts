import { expect, it } from "vitest";
import { type Client, type EventOptions, ProblemError } from "../../../src/http/client/client.ts";
import { sampleEvent } from "./sample-event.suite.ts";
import { followEvents } from "./follow-events.ts";
import type { LiveMessage } from "./live-messages.ts";

/** One connection: the events that it yields, and how it ends. It stays open without an end. */
interface Connection {
  readonly ids: readonly number[];
  readonly end?: Error;
}

/** Follows a daemon whose connections end as given, until the last one is open. Returns the messages and the positions asked for. */
async function follow(connections: readonly Connection[]) {
  const messages: LiveMessage[] = [];
  const positions: (number | undefined)[] = [];
  const { promise: isOver, resolve: finish } = Promise.withResolvers<void>();
  async function* events({ after, onConnection }: EventOptions) {
    const connection = connections[positions.length];
    positions.push(after);
    if (connection === undefined) throw new Error("no more connections");
    if (connection.end === undefined || connection.ids.length > 0) onConnection?.(true);
    for (const id of connection.ids) yield sampleEvent(id);
    if (connection.end !== undefined) throw connection.end;
    finish();
    await new Promise(() => {});
  }
  const follower = followEvents({ events } as unknown as Client, (message) => {
    messages.push(message);
    // The pauses between two attempts are not what is tested.
    queueMicrotask(() => setTimeout(follower.retry, 0));
  });
  await isOver;
  return { messages, positions };
}

const LOST = new Error("connection lost");

it("after a lost connection the stream continues behind the last event", async () => {
  const { messages, positions } = await follow([{ ids: [7, 8], end: LOST }, { ids: [9] }]);
  expect(positions).toEqual([undefined, 8]);
  expect(messages.flatMap((message) => (message.kind === "event" ? [message.event.id] : []))).toEqual([7, 8, 9]);
  expect(messages.some(({ kind }) => kind === "reset")).toBe(false);
});

it("the page is told that the daemon is away, and since when", async () => {
  const { messages } = await follow([{ ids: [7], end: LOST }, { ids: [] }]);
  const states = messages.flatMap((message) => (message.kind === "connection" ? [message.connection.state] : []));
  expect(states).toEqual(["open", "away", "open"]);
});

it("a page that is no longer signed in says so and tries again", async () => {
  const refused = new ProblemError({
    status: 401,
    title: "",
    detail: "Missing or unknown token.",
    hint: null,
    issues: [],
  });
  const { messages } = await follow([{ ids: [], end: refused }, { ids: [] }]);
  const states = messages.flatMap((message) => (message.kind === "connection" ? [message.connection.state] : []));
  expect(states).toEqual(["signed-out", "open"]);
});
