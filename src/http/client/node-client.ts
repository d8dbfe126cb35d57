import type { IncomingMessage } from "node:http";
import { CLI_AGENT } from "./cli-agent.ts";
import {
  createClient,
  UnreachableError,
  UnresponsiveError,
  type ApiResponse,
  type Call,
  type Client,
  type ClientOptions,
} from "./client.ts";

/** Long enough for a daemon on an overloaded machine. */
const PATIENCE_MS = 10_000;

export interface NodeClientOptions extends Omit<ClientOptions, "send"> {
  readonly patienceMs?: number;
}

/** The client for programs that run in Node. Throws UnresponsiveError if the daemon hangs. */
export function createNodeClient({ url, token, patienceMs = PATIENCE_MS }: NodeClientOptions): Client {
  return createClient({ url, token, send: (address, call) => sendPatiently(address, call, patienceMs) });
}

const HEALTH = "/api/v1/healthz";

/** Some requests take minutes, so a request may take as long as the daemon answers others. */
async function sendPatiently(address: string, call: Call, patienceMs: number): Promise<ApiResponse> {
  // An open connection would keep the process alive.
  const over = new AbortController();
  const signal = call.signal === undefined ? over.signal : AbortSignal.any([call.signal, over.signal]);
  try {
    const response = send(address, { ...call, signal });
    for (;;) {
      if (await settlesWithin(response, patienceMs)) return await response;
      if (address.endsWith(HEALTH)) throw new UnresponsiveError(address);
      const health = send(new URL(HEALTH, address).href, { method: "GET", headers: call.headers, signal });
      if (!(await settlesWithin(Promise.race([response, health]), patienceMs))) throw new UnresponsiveError(address);
    }
  } finally {
    over.abort();
  }
}

/** Also handles a rejection after the caller stopped waiting. */
async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => (timer = setTimeout(resolve, ms, false)));
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Does not use `fetch`, because loading `fetch` takes Node longer than the rest of a command. */
function send(address: string, call: Call): Promise<ApiResponse> {
  // `import` would evaluate every export of the module, and one of them loads the code behind `fetch`.
  const { request } = address.startsWith("https:")
    ? process.getBuiltinModule("node:https")
    : process.getBuiltinModule("node:http");
  const { body, ...options } = call;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void =>
      reject(call.signal?.aborted === true ? error : new UnreachableError(address, error));
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const outgoing = request(
      address,
      { ...options, headers: { ...call.headers, ...length, "user-agent": CLI_AGENT } },
      (message) => {
        readResponse(message).then(resolve, fail);
      },
    );
    outgoing.on("error", fail);
    outgoing.end(body);
  });
}

async function readResponse(message: IncomingMessage): Promise<ApiResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer); // without an encoding set, chunks are bytes
  const status = message.statusCode ?? 0;
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText: message.statusMessage ?? "",
    headers: { get: (name) => [message.headers[name]].flat().join(", ") || null },
    json: async () => JSON.parse(Buffer.concat(chunks).toString()) as unknown,
  };
}
