import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";

export interface LoopbackRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface LoopbackResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A failure of one request: another response, no response, a closed connection, or an endless response. */
export type Fault = LoopbackResponse | "hang" | "drop" | "flood";

export interface LoopbackServer {
  readonly url: string;
  /** All requests in order. */
  readonly requests: readonly LoopbackRequest[];
  /** Failures for the next requests, one each. */
  fail(...faults: readonly Fault[]): void;
  close(): Promise<void>;
}

/** A real HTTP server on loopback that replaces an external service. */
export async function openLoopback(respond: (request: LoopbackRequest) => LoopbackResponse): Promise<LoopbackServer> {
  const requests: LoopbackRequest[] = [];
  const faults: Fault[] = [];

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", headers } = request;
    const received = { method, path, headers, body: await readText(request) };
    requests.push(received);
    const fault = faults.shift();
    if (fault === "hang") return;
    if (fault === "drop") return void response.destroy();
    if (fault === "flood") return flood(response);
    const { status, headers: own = {}, body = "" } = fault ?? respond(received);
    response.writeHead(status, own).end(body);
  }

  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    fail: (...more) => void faults.push(...more),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Writes until the client disconnects. */
function flood(response: ServerResponse): void {
  const part = "x".repeat(64 * 1024);
  response.writeHead(500);
  const write = (): void => {
    while (!response.destroyed && response.write(part));
  };
  response.on("drain", write);
  write();
}

export function jsonResponse(status: number, value: unknown): LoopbackResponse {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}
