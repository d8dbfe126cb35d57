import { chmodSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Refusal, Reply, Turn } from "./fake-turn.ts";

export interface FakeParams<Body> {
  /** Played in order, one per request that offers tools. Afterwards it reports that there are no more turns. */
  readonly turns: readonly ScriptedTurn<Body>[];
  /** Reply to requests without tools, such as for titles and summaries. They use no turn. */
  readonly aside?: Turn;
  /** Path of a Unix socket. Default: a loopback port. */
  readonly socket?: string;
}

export type ScriptedTurn<Body> = Turn | ((request: ModelRequest<Body>) => Turn);

/** A fake model API. */
export interface FakeModel<Body> {
  /** Base URL for the client. Empty if it listens on a socket. */
  readonly url: string;
  /** All requests in order. */
  readonly requests: readonly ModelRequest<Body>[];
  close(): Promise<void>;
}

export interface ModelRequest<Body> {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
  /** Index of the turn that answered it. Null if none did. */
  readonly turn: number | null;
}

export interface FakeRequest<Body> {
  readonly method: string;
  readonly path: string;
  readonly body: Body;
}

/** Implements one vendor's API. */
export interface Dialect<Body> {
  /** Whether the request asks the model for a reply. */
  isModelRequest(request: FakeRequest<Body>): boolean;
  offersTools(body: Body): boolean;
  wantsStream(request: FakeRequest<Body>): boolean;
  createReply(reply: Reply, request: FakeRequest<Body>): FakeReply;
  createError(refusal: Refusal & { readonly message: string }): unknown;
  /** Answers other endpoints of the API. Null if there is none. */
  handleOther(request: FakeRequest<Body>): unknown;
}

/** A reply, both whole and as stream events. */
export interface FakeReply {
  readonly whole: unknown;
  readonly events: readonly string[];
}

export async function openFakeModel<Body>(params: FakeParams<Body>, dialect: Dialect<Body>): Promise<FakeModel<Body>> {
  const requests: ModelRequest<Body>[] = [];
  let turnCount = 0;

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", headers } = incoming;
    const path = (incoming.url ?? "").split("?")[0] ?? "";
    const text = await readText(incoming);
    // Invalid JSON fails the test.
    const body = (text === "" ? {} : JSON.parse(text)) as Body;
    const request = { method, path, body };
    const isTurn = method === "POST" && dialect.isModelRequest(request);
    const recorded = { ...request, headers, turn: isTurn && dialect.offersTools(body) ? turnCount++ : null };
    requests.push(recorded);
    if (isTurn) return sendTurn(response, dialect, request, chooseTurn(params, recorded));
    const other = dialect.handleOther(request);
    if (other !== null) return sendJson(response, 200, other);
    sendError(response, dialect, { status: 404, error: "not_found_error", message: `Nothing at ${method} ${path}.` });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendError(response, dialect, { status: 400, error: "invalid_request_error", message: String(error) });
    });
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(params.socket === undefined ? { host: "127.0.0.1", port: 0 } : { path: params.socket }, resolve);
  await promise;
  // A client inside a sandbox may be another user.
  if (params.socket !== undefined) chmodSync(params.socket, 0o666);
  const address = server.address();
  return {
    url: typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "",
    requests,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function chooseTurn<Body>({ turns, aside = { text: "Fine." } }: FakeParams<Body>, request: ModelRequest<Body>): Turn {
  if (request.turn === null) return aside;
  const turn = turns[request.turn] ?? { text: "There are no more turns." };
  return typeof turn === "function" ? turn(request) : turn;
}

async function sendTurn<Body>(
  response: ServerResponse,
  dialect: Dialect<Body>,
  request: FakeRequest<Body>,
  turn: Turn,
): Promise<void> {
  if ("status" in turn) return sendError(response, dialect, turn);
  if (turn.hangs === true) return;
  if (turn.delayMs !== undefined) await sleep(turn.delayMs);
  const reply = dialect.createReply(turn, request);
  if (dialect.wantsStream(request)) return stream(response, reply, turn);
  return sendJson(response, 200, reply.whole, turn.headers);
}

function stream(response: ServerResponse, { events }: FakeReply, { headers, dropAfter }: Reply): void {
  response.writeHead(200, { "content-type": "text/event-stream", ...headers });
  const text = events.slice(0, dropAfter).join("");
  if (dropAfter === undefined) response.end(text);
  else response.write(text, () => response.destroy());
}

function sendError<Body>(response: ServerResponse, dialect: Dialect<Body>, refusal: Refusal): void {
  const { status, error, message = `This is a ${error}.`, headers } = refusal;
  sendJson(response, status, dialect.createError({ ...refusal, message }), headers);
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Reply["headers"] = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
