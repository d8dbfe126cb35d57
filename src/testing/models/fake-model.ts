import { chmodSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Refusal, Reply, Turn } from "./fake-turn.ts";

export interface FakeParams<Body> {
  /** Played in order, one for each request that offers tools; after the last it says that there are no more. */
  readonly turns: readonly ScriptedTurn<Body>[];
  /** Clients also ask for titles and summaries, without tools: that uses up no turn. */
  readonly aside?: Turn;
  /** The path of a socket; without one it listens on a port of loopback. */
  readonly socket?: string;
}

export type ScriptedTurn<Body> = Turn | ((request: ModelRequest<Body>) => Turn);

/** A stand-in for a model's API. */
export interface FakeModel<Body> {
  /** For the client's base URL; empty where it listens on a socket. */
  readonly url: string;
  /** Everything that was asked, in order. */
  readonly requests: readonly ModelRequest<Body>[];
  close(): Promise<void>;
}

export interface ModelRequest<Body> {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
  /** Which turn answered it; null: none, it was aside. */
  readonly turn: number | null;
}

export interface Asked<Body> {
  readonly method: string;
  readonly path: string;
  readonly body: Body;
}

/** How one maker's API is spoken. */
export interface Dialect<Body> {
  /** Whether it asks the model to speak. */
  asksModel(asked: Asked<Body>): boolean;
  offersTools(body: Body): boolean;
  wantsStream(asked: Asked<Body>): boolean;
  speak(reply: Reply, asked: Asked<Body>): Spoken;
  refusal(refusal: Refusal & { readonly message: string }): unknown;
  /** What else the API has; null: there is no such thing. */
  answerOther(asked: Asked<Body>): unknown;
}

/** An answer, whole and as the events of a stream. */
export interface Spoken {
  readonly whole: unknown;
  readonly events: readonly string[];
}

export async function openFakeModel<Body>(params: FakeParams<Body>, dialect: Dialect<Body>): Promise<FakeModel<Body>> {
  const requests: ModelRequest<Body>[] = [];
  let played = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", headers } = request;
    const path = (request.url ?? "").split("?")[0] ?? "";
    const text = await readText(request);
    // Whoever sends something else fails its test by it.
    const body = (text === "" ? {} : JSON.parse(text)) as Body;
    const asked = { method, path, body };
    const isTurn = method === "POST" && dialect.asksModel(asked);
    const recorded = { ...asked, headers, turn: isTurn && dialect.offersTools(body) ? played++ : null };
    requests.push(recorded);
    if (isTurn) return answer(response, dialect, asked, chooseTurn(params, recorded));
    const other = dialect.answerOther(asked);
    if (other !== null) return sendJson(response, 200, other);
    refuse(response, dialect, { status: 404, error: "not_found_error", message: `Nothing at ${method} ${path}.` });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else refuse(response, dialect, { status: 400, error: "invalid_request_error", message: String(error) });
    });
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(params.socket === undefined ? { host: "127.0.0.1", port: 0 } : { path: params.socket }, resolve);
  await promise;
  // Whoever asks from inside a sandbox may be another user.
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

async function answer<Body>(
  response: ServerResponse,
  dialect: Dialect<Body>,
  asked: Asked<Body>,
  turn: Turn,
): Promise<void> {
  if ("status" in turn) return refuse(response, dialect, turn);
  if (turn.hangs === true) return;
  if (turn.delayMs !== undefined) await sleep(turn.delayMs);
  const spoken = dialect.speak(turn, asked);
  if (dialect.wantsStream(asked)) return stream(response, spoken, turn);
  return sendJson(response, 200, spoken.whole, turn.headers);
}

function stream(response: ServerResponse, { events }: Spoken, { headers, dropAfter }: Reply): void {
  response.writeHead(200, { "content-type": "text/event-stream", ...headers });
  const text = events.slice(0, dropAfter).join("");
  if (dropAfter === undefined) response.end(text);
  else response.write(text, () => response.destroy());
}

function refuse<Body>(response: ServerResponse, dialect: Dialect<Body>, refusal: Refusal): void {
  const { status, error, message = `This is a ${error}.`, headers } = refusal;
  sendJson(response, status, dialect.refusal({ ...refusal, message }), headers);
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Reply["headers"] = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
