import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { z } from "zod";

const secrets = z.record(z.string(), z.string());
const MAX_SECRETS_BYTES = 1024 * 1024;

/** Connects stdin and stdout to a server outside of the sandbox. */
export async function connectToServer(socketPath: string, name: string): Promise<void> {
  const socket = await openBroker(socketPath, `serve ${name}`);
  process.stdin.pipe(socket).pipe(process.stdout);
  await once(socket, "close");
}

/** Asks the broker for the secrets of a server in the sandbox. They are never written to a file. */
export async function readSecrets(socketPath: string, name: string): Promise<Readonly<Record<string, string>>> {
  const socket = await openBroker(socketPath, `secrets ${name}`);
  let text = "";
  for await (const chunk of socket.setEncoding("utf8") as AsyncIterable<string>) {
    text += chunk;
    if (text.length > MAX_SECRETS_BYTES) throw new Error("The broker's answer is too long.");
  }
  return secrets.parse(JSON.parse(text));
}

async function openBroker(path: string, request: string): Promise<Socket> {
  const socket = connect({ path, allowHalfOpen: true });
  await once(socket, "connect");
  socket.write(`${request}\n`);
  return socket;
}
