import { readFileSync } from "node:fs";
import { Agent as HttpAgent, request as requestHttp } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent as HttpsAgent, createServer, request as requestHttps } from "node:https";
import { join } from "node:path";
import { createServer as createPipeServer } from "node:net";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:tls";
import { readPrices } from "../src/config/resolve/resolve-settings.ts";
import { openGateway } from "../src/adapters/gateway/gateway.ts";

/**
 * One of the processes of row j: a model server, a gateway, a client that reads every event like agent CLIs do, or instead of
 * the gateway a minimal second hop that terminates TLS and forwards bytes unread. Each is a separate process, so that its
 * processor time can be measured.
 */
export type Part = "model" | "gateway" | "pipe" | "client";

export type Order =
  | { readonly kind: "start"; readonly upstream: string; readonly key: string; readonly cert: string }
  | { readonly kind: "cpu" }
  | ({ readonly kind: "ask"; readonly url: string; readonly padding: number } & Wanted);

/** How much to stream, and the pause between events. 0 means as fast as possible. */
interface Wanted {
  readonly bytes: number;
  readonly pauseMs: number;
}

const BUILTIN = join(import.meta.dirname, "..", "src", "builtin");
const NONCE = "nonce-of-the-bench";

const event = (type: string, rest: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
const START = event("message_start", {
  message: { model: "claude-bench", usage: { input_tokens: 10, output_tokens: 1 } },
});
const WORDS = event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "as much as comes" } });
const END = event("message_delta", { usage: { output_tokens: 1000 } });
const BLOCK = Buffer.from(WORDS.repeat(Math.ceil(16_384 / WORDS.length)));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { bytes, pauseMs } = (await json(request)) as Wanted;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(START);
  const block = pauseMs > 0 ? Buffer.from(WORDS) : BLOCK;
  for (let sent = 0; sent < bytes; sent += block.length) {
    if (!response.write(block)) await new Promise((resolve) => response.once("drain", resolve));
    if (pauseMs > 0) await sleep(pauseMs);
  }
  response.end(END);
}

async function startModel(key: string, cert: string): Promise<number> {
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server always has this kind of address.
  return (server.address() as AddressInfo).port;
}

async function startGateway(upstream: string): Promise<number> {
  const gateway = await openGateway({
    plan: {
      api: "anthropic",
      upstream,
      keyName: "KEY",
      keyKind: "api_key",
      nonce: NONCE,
      limitUsd: 1e6,
      limitTokens: null,
      // The real table, because it is searched for every event.
      prices: { ...(await readPrices(BUILTIN)), "claude-bench": { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 } },
    },
    key: "key-of-the-bench",
    socket: null,
    onUsage: () => undefined,
    onNote: () => undefined,
    onExhausted: (sentence) => console.error(sentence),
  });
  return gateway.port ?? 0;
}

async function startPipe(upstream: string): Promise<number> {
  const { hostname: host, port } = new URL(upstream);
  const server = createPipeServer((socket) => {
    const model = connect({ host, port: Number(port) });
    pipeline(socket, model, socket, () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server always has this kind of address.
  return (server.address() as AddressInfo).port;
}

const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

/** Returns the time to the first byte in ms. */
async function ask(url: string, { bytes, pauseMs }: Wanted, padding: number): Promise<number> {
  const body = JSON.stringify({ model: "claude-bench", max_tokens: 10, bytes, pauseMs, messages: "x".repeat(padding) });
  const options = {
    method: "POST",
    headers: { "x-api-key": NONCE, "content-type": "application/json", "content-length": body.length },
  };
  const start = performance.now();
  const request = url.startsWith("https:")
    ? requestHttps(`${url}/v1/messages`, { ...options, agent: agents.https })
    : requestHttp(`${url}/v1/messages`, { ...options, agent: agents.http });
  request.end(body);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once("response", resolve);
    request.once("error", reject);
  });
  if (response.statusCode !== 200) throw new Error(`unexpected status ${response.statusCode}`);
  let first = 0;
  response.once("data", () => (first = performance.now() - start));
  let events = 0;
  for await (const line of createInterface({ input: response, crlfDelay: Infinity })) {
    if (line.startsWith("data:") && JSON.parse(line.slice(5)) !== null) events++;
  }
  if (events * WORDS.length < bytes) throw new Error(`only ${events} events arrived`);
  return first;
}

async function obey(part: Part, order: Order): Promise<number> {
  if (order.kind === "ask") return ask(order.url, order, order.padding);
  if (order.kind === "start" && part === "model") return startModel(order.key, order.cert);
  if (order.kind === "start") return part === "pipe" ? startPipe(order.upstream) : startGateway(order.upstream);
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

// The row starts this process with an IPC channel for these orders.
process.on("message", (order) => {
  void obey(process.argv[2] as Part, order as Order).then((value) => process.send?.(value));
});
