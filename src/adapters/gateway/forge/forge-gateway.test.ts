import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import type { IncomingMessage, RequestListener, Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, expect, test } from "vitest";
import type { GatewayServer } from "../serve.ts";
import { openForgeGateway } from "./forge-gateway.ts";

const TOKEN = "ghp-planted-token";
const dir = mkdtempSync(join(tmpdir(), "forge-gateway-"));
const socket = join(dir, "socket");
let forge: Server | null = null;
let gateway: GatewayServer | null = null;

afterEach(async () => {
  await gateway?.close();
  forge?.closeAllConnections();
  forge?.close();
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function open(answer: RequestListener): Promise<void> {
  forge = createServer(answer).listen(0, "127.0.0.1");
  await once(forge, "listening");
  const web = `http://127.0.0.1:${(forge.address() as AddressInfo).port}`;
  const names = {
    project: "team/shop",
    gitUser: "x-access-token",
    keyName: "K",
    branch: "agent/x-1",
    defaultBranch: "main",
  };
  const plan = { api: "github" as const, web, apiUrl: `${web}/api/v3`, ...names };
  gateway = await openForgeGateway({ plan, token: TOKEN, socket, onDenied: () => undefined });
}

async function get(path: string, headers: Record<string, string> = {}): Promise<string> {
  const sending = request({ socketPath: socket, path, headers, agent: false }).end();
  const [answer] = (await once(sending, "response")) as [IncomingMessage];
  return `${answer.statusCode} ${JSON.stringify(answer.headers)} ${await text(answer)}`;
}

test("a forge that repeats the request does not show the token, and gets no header that the run invents", async () => {
  await open(({ headers }, response) => {
    const seen = JSON.stringify(headers);
    response.writeHead(200, { "x-seen": seen, "x-oauth-scopes": "repo", "set-cookie": TOKEN }).end(seen);
  });
  const invented = { authorization: "Basic x", sudo: "root", cookie: "a=b", "x-http-method-override": "DELETE" };
  for (const path of ["/repos/team/shop", "/team/shop.git/info/refs?service=git-upload-pack"]) {
    const answer = await get(path, invented);
    expect(answer).toMatch(/^200 .*authorization.*\*{10}/);
    expect(answer).not.toContain(TOKEN);
    expect(answer).not.toContain(Buffer.from(`x-access-token:${TOKEN}`).toString("base64"));
    expect(answer).not.toMatch(/sudo|cookie|override|scopes/);
  }
});

test("a redirect is not followed and not shown, because it could contain the token", async () => {
  await open((_, response) => response.writeHead(302, { location: `https://evil.example/?${TOKEN}` }).end());
  const answer = await get("/repos/team/shop");
  expect(answer).toMatch(/^502 .*redirect/);
  expect(answer).not.toContain("evil");
});

test("closes at once while the forge does not answer the gateway's own request", async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  await open(() => resolve());
  const sending = request({ socketPath: socket, path: "/repositories/1/pulls", agent: false }).end();
  sending.on("error", () => undefined);
  await asked;
  await gateway?.close();
  await expect(get("/repos/team/shop")).rejects.toThrow(/ENOENT|ECONNREFUSED/);
}, 30_000);

test("requests that a run never completes delay neither other requests nor the end of the run", async () => {
  const seen: string[] = [];
  await open(({ url }, response) => {
    seen.push(url ?? "");
    response.end("an answer");
  });
  const heads = [
    "GET /repos/team/shop HTTP/1.1\r\nHost:",
    "POST /team/shop.git/git-receive-pack HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n00",
    "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
  ];
  const clients = Array.from({ length: 60 }, (_, n) => {
    const client = connect(socket, () => client.write(heads[n % heads.length] ?? ""));
    return client.on("error", () => undefined);
  });
  await Promise.all(clients.map((client) => once(client, "connect")));
  expect(await get("/repos/team/shop")).toMatch(/^200 .*an answer$/);
  expect(seen).toEqual(["/api/v3/repos/team/shop"]);
  const closed = clients.map((client) => once(client, "close"));
  await gateway?.close();
  await Promise.all(closed);
}, 30_000);
