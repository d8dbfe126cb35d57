import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { waitUntil } from "../../testing/wait-until.ts";
import type { Requester } from "../../core/task/requester.ts";
import { createClient } from "../client/client.ts";
import { eventSchema } from "../contract/event.ts";
import { outputPageSchema } from "../contract/output.ts";
import { endRun, type Harness, makeEvent, makeTask, openHarness, OWNER_TOKEN, saveTask } from "../harness.suite.ts";
import { type HttpServer, openHttpServer } from "../listen.ts";

const OWNER: Requester = { kind: "person", name: "alice", rights: ["admin"] };
const TIMES = { heartbeatMs: 100, stallMs: 300, maxReplay: 1000 };

let api: Harness;
let server: HttpServer;

beforeEach(async () => {
  api = await openHarness();
  server = await openHttpServer(api.deps, { host: "127.0.0.1", port: 0, publicUrl: null }, TIMES);
});

afterEach(async () => {
  await server.close();
  await api.close();
});

const connectClient = () => createClient({ url: server.url, token: OWNER_TOKEN });

/** Signs a browser in as the owner and returns its cookie. */
async function signIn(): Promise<string> {
  const { url } = await connectClient().call("POST /session/links", { body: {} });
  const response = await fetch(`${server.url}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: server.url },
    body: JSON.stringify({ code: new URL(url).hash.slice(1) }),
  });
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** A raw connection to the event stream. The test controls when it reads. */
async function openStream(headers: Record<string, string> = {}, path = "/events"): Promise<Socket> {
  const socket = connect(server.port, "127.0.0.1");
  const lines = Object.entries({
    host: `127.0.0.1:${server.port}`,
    authorization: `Bearer ${OWNER_TOKEN}`,
    ...headers,
  });
  socket.write(`GET /api/v1${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
  return socket;
}

/** Reads the ids of events until the socket ends or `enough` says so, then cuts the connection. */
async function readIds(socket: Socket, enough: (ids: readonly number[]) => boolean): Promise<number[]> {
  let text = "";
  let ids: number[] = [];
  try {
    for await (const bytes of socket) {
      text += String(bytes);
      // Count only complete messages, because a client uses the id only after the whole message.
      ids = [...text.matchAll(/^id: (\d+)\ndata: .*\n\n/gm)].map((match) => Number(match[1]));
      if (enough(ids)) break;
    }
  } finally {
    socket.destroy();
  }
  return ids;
}

async function readText(socket: Socket): Promise<string> {
  let text = "";
  for await (const bytes of socket) {
    text += String(bytes);
    // The end of a chunked response.
    if (text.endsWith("0\r\n\r\n")) break;
  }
  socket.destroy();
  return text;
}

async function startRun() {
  const created = await saveTask(api.store, makeTask({ status: "running" }));
  return { task: created.task, run: created.admitted[0] ?? "" };
}

function textsOf(page: unknown): string[] {
  return outputPageSchema
    .parse(page)
    .lines.flatMap(({ events }) => events.map((event) => (event.type === "text" ? event.text : "")));
}

describe("event stream", () => {
  it("neither loses nor repeats events across reconnects while events are written", async () => {
    const total = 500;
    const first = await api.store.events.lastEventId();
    const writing = (async () => {
      for (let written = 0; written < total; written += 5) {
        await api.store.events.appendEvents(
          Array.from({ length: 5 }, (_, index) => makeEvent({ summary: `event ${written + index}` })),
        );
        if (written % 50 === 0) await sleep(3);
      }
    })();
    const seen: number[] = [];
    let connections = 0;
    while (seen.length < total && connections < 200) {
      connections += 1;
      const socket = await openStream({ "last-event-id": String(seen.at(-1) ?? first) });
      // The batch size is not a multiple of 37, so connections end in the middle of batches.
      seen.push(...(await readIds(socket, (ids) => ids.length >= 37 || seen.length + ids.length >= total)));
    }
    await writing;
    expect(connections).toBeGreaterThan(1);
    expect(seen).toEqual(Array.from({ length: total }, (_, index) => first + index + 1));
    await waitUntil(() => server.app.watchers() === 0);
  });

  it("switches from stored to live events without a gap, also for one task", async () => {
    const mine = "task_mine000001";
    await saveTask(api.store, makeTask({ id: mine }));
    const start = await api.store.events.lastEventId();
    const enough = new AbortController();
    const writing = (async () => {
      while (!enough.signal.aborted) {
        await api.store.events.appendEvents([
          makeEvent({ task: mine }),
          makeEvent({ task: null }),
          makeEvent({ task: null }),
        ]);
        await sleep(0);
      }
    })();
    const lists = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        await sleep(index * 7);
        return await readIds(
          await openStream({}, `/events?task=${mine}&last_event_id=${start}`),
          (ids) => ids.length >= 150,
        );
      }),
    );
    enough.abort();
    await writing;
    for (const ids of lists)
      expect(ids.slice(0, 150)).toEqual(Array.from({ length: 150 }, (_, index) => start + 1 + index * 3));
  });

  it("starts with new events, sends its start position, and matches the contract", async () => {
    await api.store.events.appendEvents([makeEvent({ summary: "before" })]);
    const abort = new AbortController();
    const events = connectClient().events({ signal: abort.signal });
    const position = vi.spyOn(api.store.events, "lastEventId");
    const next = events.next();
    // Once the stream has read its start position, all later events are new.
    await waitUntil(() => position.mock.settledResults[0]?.type === "fulfilled");
    await api.store.events.appendEvents([makeEvent({ summary: "after", data: { text: "line\nline" } })]);
    const { value } = await next;
    expect(eventSchema.parse(value)).toMatchObject({ summary: "after", data: { text: "line\nline" } });
    abort.abort();
    expect(await events.next()).toEqual({ done: true, value: undefined });
    await waitUntil(() => server.app.watchers() === 0);
  });

  it("does not wait for an id that the database has not reached", async () => {
    const last = await api.store.events.lastEventId();
    const reading = readIds(await openStream({ "last-event-id": "999999" }), (ids) => ids.length > 0);
    await waitUntil(() => server.app.watchers() === 1);
    await api.store.events.appendEvents([makeEvent()]);
    expect(await reading).toEqual([last + 1]);
  });

  it("refuses an id that is not a number", async () => {
    const response = await api.request("GET", "/api/v1/events", { headers: { "last-event-id": "soon" } });
    expect(response.status).toBe(400);
  });

  it("sends a heartbeat while nothing happens", async () => {
    const socket = await openStream();
    let text = "";
    for await (const bytes of socket) {
      text += String(bytes);
      if ((text.match(/^:$/gm) ?? []).length >= 2) break;
    }
    socket.destroy();
    expect(text).toContain("event: ready");
  });

  it("disconnects a client that reads nothing and keeps serving the others", async () => {
    const slow = await openStream();
    slow.pause();
    const closed = new Promise((resolve) => slow.once("close", resolve));
    slow.on("error", () => {});
    await waitUntil(() => server.app.watchers() === 1);
    const big = "x".repeat(200_000);
    let seen = 0;
    const abort = new AbortController();
    const reading = (async () => {
      for await (const _ of connectClient().events({ signal: abort.signal })) seen += 1;
    })();
    await waitUntil(() => server.app.watchers() === 2);
    for (let written = 0; written < 80; written += 1) {
      await api.store.events.appendEvents([makeEvent({ data: { big } })]);
      if (written % 20 === 0) await sleep(10);
    }
    await waitUntil(() => server.app.watchers() === 1);
    await waitUntil(() => seen === 80);
    slow.resume();
    await closed;
    expect(seen).toBe(80);
    abort.abort();
    await reading;
  });

  it("ends when the caller's token is removed, and the output of a run too", async () => {
    const { token } = await api.deps.commands.addToken({ name: "bob", rights: [] }, OWNER);
    const { run } = await startRun();
    await server.close();
    // Without heartbeats, only the removal can end the streams.
    server = await openHttpServer(
      api.deps,
      { host: "127.0.0.1", port: 0, publicUrl: null },
      { ...TIMES, heartbeatMs: 60_000, stallMs: 60_000 },
    );
    const headers = { authorization: `Bearer ${token}` };
    const events = await openStream(headers);
    const output = await openStream(headers, `/runs/${run}/output`);
    const owners = await openStream();
    const ended = [events, output].map((socket) => readText(socket));
    const stillOpen = readIds(owners, (ids) => ids.length > 1);
    await waitUntil(() => server.app.watchers() === 2 && api.transcript.watched === 1);
    await api.deps.commands.removeToken("bob", OWNER);
    await api.store.events.appendEvents([makeEvent({ summary: "a secret of others" })]);
    for (const text of await Promise.all(ended)) expect(text).not.toContain("a secret of others");
    expect(await stillOpen).toHaveLength(2);
    const again = await fetch(`${server.url}/api/v1/events`, { headers });
    expect(again.status).toBe(401);
  });

  it("ends when the person signs out of the browser, but not in their other browsers", async () => {
    await server.close();
    server = await openHttpServer(
      api.deps,
      { host: "127.0.0.1", port: 0, publicUrl: null },
      { ...TIMES, heartbeatMs: 60_000, stallMs: 60_000 },
    );
    const cookies = await Promise.all([signIn(), signIn()]);
    const [leaving, staying] = await Promise.all(cookies.map((cookie) => openStream({ authorization: "", cookie })));
    if (leaving === undefined || staying === undefined) throw new Error("there is no stream");
    const ended = readText(leaving);
    const stillOpen = readIds(staying, (ids) => ids.length > 1);
    await waitUntil(() => server.app.watchers() === 2);
    const headers = { cookie: cookies[0] ?? "", origin: server.url };
    expect((await fetch(`${server.url}/api/v1/session`, { method: "DELETE", headers })).status).toBe(204);
    await api.store.events.appendEvents([makeEvent({ summary: "a secret of others" })]);
    expect(await ended).not.toContain("a secret of others");
    expect((await stillOpen).length).toBeGreaterThan(1);
  });

  it("sends a reset to a reader that is too far behind, and continues with new events", async () => {
    await api.store.events.appendEvents(Array.from({ length: 1500 }, () => makeEvent()));
    const last = await api.store.events.lastEventId();
    let resets = 0;
    const abort = new AbortController();
    const events = connectClient().events({ after: 0, signal: abort.signal, onReset: () => (resets += 1) });
    const next = events.next();
    await waitUntil(() => resets === 1);
    await api.store.events.appendEvents([makeEvent({ summary: "new" })]);
    expect((await next).value).toMatchObject({ id: last + 1, summary: "new" });
    abort.abort();
  });

  it("replays a whole task, however many other events there are", async () => {
    const { task } = await saveTask(api.store, makeTask());
    await api.store.events.appendEvents(Array.from({ length: 1500 }, () => makeEvent()));
    const [first] = await readIds(
      await openStream({}, `/events?task=${task.id}&last_event_id=0`),
      (ids) => ids.length > 0,
    );
    expect(first).toBe(1);
  });

  it("ends when the server closes, without waiting for clients", async () => {
    const ids = readIds(await openStream(), () => false);
    await waitUntil(() => server.app.watchers() === 1);
    const before = performance.now();
    await server.close();
    expect(await ids).toEqual([]);
    expect(performance.now() - before).toBeLessThan(900);
  });
});

describe("HTTP client: events", () => {
  it("resume after a restart of the server from the last received event", async () => {
    const abort = new AbortController();
    const events = connectClient().events({ signal: abort.signal, after: await api.store.events.lastEventId() });
    const { port } = server;
    await api.store.events.appendEvents([makeEvent({ summary: "one" })]);
    expect((await events.next()).value).toMatchObject({ summary: "one" });
    await server.close();
    await api.store.events.appendEvents([makeEvent({ summary: "two" })]);
    server = await openHttpServer(api.deps, { host: "127.0.0.1", port, publicUrl: null }, TIMES);
    expect((await events.next()).value).toMatchObject({ summary: "two" });
    abort.abort();
    expect((await events.next()).done).toBe(true);
  });

  it("fail immediately if there is no daemon or it refuses the request", async () => {
    const { signal } = new AbortController();
    const wrong = createClient({ url: server.url, token: "wrong" });
    await expect(wrong.events({ signal }).next()).rejects.toMatchObject({ name: "ProblemError", status: 401 });
    await server.close();
    await expect(connectClient().events({ signal }).next()).rejects.toMatchObject({ name: "UnreachableError" });
  });
});

describe("output stream of a run", () => {
  it("sends output as it is written and ends when the run has ended and everything was sent", async () => {
    const { task, run } = await startRun();
    api.transcript.add("one");
    const seen: string[] = [];
    const reading = (async () => {
      for await (const page of connectClient().output(run, { signal: new AbortController().signal }))
        seen.push(...textsOf(page));
    })();
    await waitUntil(() => seen.length === 1);
    api.transcript.add("two");
    await waitUntil(() => seen.length === 2);
    api.transcript.add("three");
    await endRun(api.store, task, run);
    await reading;
    expect(seen).toEqual(["one", "two", "three"]);
    expect(api.transcript.watched).toBe(0);
  });

  it("resumes after a given offset", async () => {
    const { task, run } = await startRun();
    api.transcript.add("one");
    const { next } = await connectClient().call("GET /runs/:id/output", { params: { id: run } });
    api.transcript.add("two");
    await endRun(api.store, task, run);
    const seen: string[] = [];
    const { signal } = new AbortController();
    for await (const page of connectClient().output(run, { signal, offset: next })) seen.push(...textsOf(page));
    expect(seen).toEqual(["two"]);
  });

  it("finds output by polling if there is no notification", async () => {
    const { run } = await startRun();
    const withoutNotifications = { ...api.deps, onOutput: () => () => {} };
    await server.close();
    // A heartbeat would read the output too.
    const times = { ...TIMES, heartbeatMs: 60_000 };
    server = await openHttpServer(withoutNotifications, { host: "127.0.0.1", port: 0, publicUrl: null }, times);
    const abort = new AbortController();
    const output = connectClient().output(run, { signal: abort.signal });
    const read = vi.spyOn(api.transcript, "read");
    const next = output.next();
    // The first read finds nothing.
    await waitUntil(() => read.mock.settledResults[0]?.type === "fulfilled");
    api.transcript.add("unheard");
    expect(textsOf((await next).value)).toEqual(["unheard"]);
    abort.abort();
  });
});
