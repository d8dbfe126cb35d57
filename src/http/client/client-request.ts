import type { IncomingMessage } from "node:http";
import { UnreachableError } from "./client-errors.ts";

export interface Call {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** As much of a Response as the client looks at. */
export interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: { get(name: string): string | null };
  json(): Promise<unknown>;
}

/** One request and its whole answer. Not by `fetch`: loading that takes Node longer than all the rest of a command. */
export function request(address: string, call: Call): Promise<Answer> {
  // Not by `import` either: that reads every export of the module, and one of them loads what `fetch` loads.
  const { request: send } = address.startsWith("https:")
    ? process.getBuiltinModule("node:https")
    : process.getBuiltinModule("node:http");
  const { body, ...options } = call;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void =>
      reject(call.signal?.aborted === true ? error : new UnreachableError(address, error));
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const sent = send(address, { ...options, headers: { ...call.headers, ...length } }, (message) => {
      readAnswer(message).then(resolve, fail);
    });
    sent.on("error", fail);
    sent.end(body);
  });
}

async function readAnswer(message: IncomingMessage): Promise<Answer> {
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
