import type { IncomingMessage } from "node:http";
import {
  createClient,
  UnreachableError,
  type ApiResponse,
  type Call,
  type Client,
  type ClientOptions,
} from "./client.ts";

/** The client for programs that run in Node. */
export function createNodeClient(options: Omit<ClientOptions, "send">): Client {
  return createClient({ ...options, send });
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
    const outgoing = request(address, { ...options, headers: { ...call.headers, ...length } }, (message) => {
      readResponse(message).then(resolve, fail);
    });
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
