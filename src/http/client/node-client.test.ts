import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createNodeClient } from "./node-client.ts";

let server: Server;
let answers: (path: string) => boolean;

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Answers only the paths that `answers` accepts, and leaves all other requests open. */
async function connect(patienceMs: number) {
  server = createServer((request, response) => {
    if (answers(request.url ?? "")) response.setHeader("content-type", "application/json").end('{"agents":[]}');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on TCP has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return createNodeClient({ url: `http://127.0.0.1:${port}`, token: "t", patienceMs });
}

it("a call fails with UnresponsiveError if the daemon accepts connections but answers nothing", async () => {
  answers = () => false;
  const client = await connect(50);
  await expect(client.call("GET /agents")).rejects.toMatchObject({ name: "UnresponsiveError" });
});

it("a call waits as long as the daemon still answers other requests", async () => {
  const asked: string[] = [];
  answers = (path) => asked.push(path) > 0 && path.endsWith("/healthz");
  const client = await connect(500);
  const call = client.call("GET /agents").catch((error: unknown) => error);
  await expect.poll(() => asked.filter((path) => path.endsWith("/healthz")).length, { timeout: 20_000 }).toBe(2);
  server.closeAllConnections();
  expect(await call).toMatchObject({ name: "UnreachableError" });
});
