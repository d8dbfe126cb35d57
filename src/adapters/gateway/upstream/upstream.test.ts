import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitUntil } from "../../../testing/wait-until.ts";
import { NONCE, openTestGateway, openTestModel, stream } from "../test-model.suite.ts";

const REQUEST = { model: "claude-x", max_tokens: 1000, messages: [] };
const ANSWER = { model: "claude-x-1", usage: { input_tokens: 100, output_tokens: 10 } };
const BODY = JSON.stringify(ANSWER);
const OK = "HTTP/1.1 200 OK\r\n";
const WHOLE = `${OK}content-length: ${BODY.length}\r\n\r\n${BODY}`;

/** A server that sends raw answers, which may be invalid HTTP. */
async function openRawModel(say: (socket: Socket, request: number) => void) {
  const sockets: Socket[] = [];
  let requests = 0;
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    let heard = "";
    socket.on("data", (data) => {
      heard += data.toString();
      // Requests in these tests end with their JSON body.
      if (!/\r\n\r\n\{.*\}$/s.test(heard)) return;
      heard = "";
      say(socket, ++requests);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // A TCP server always has an AddressInfo.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

describe("upstream connections", () => {
  it("are reused", async () => {
    const model = await openRawModel((socket) => socket.write(WHOLE));
    const gateway = await openTestGateway(model.url);
    for (const count of [1, 2, 3])
      expect([count, await (await gateway.send("/v1/messages", REQUEST)).json()]).toEqual([count, ANSWER]);
    expect(model.sockets).toHaveLength(1);
  });

  it.each([
    ["closes them", (socket: Socket) => socket.write(WHOLE.replace(OK, `${OK}connection: close\r\n`))],
    ["sends two answers", (socket: Socket) => socket.write(WHOLE + WHOLE.replaceAll("100", "0"))],
    [
      "sends data without a request",
      (socket: Socket) => socket.write(WHOLE, () => setTimeout(() => socket.write(WHOLE), 5)),
    ],
  ])("are not reused if upstream %s", async (_, say) => {
    const model = await openRawModel(say);
    const gateway = await openTestGateway(model.url);
    expect(await (await gateway.send("/v1/messages", REQUEST)).json()).toEqual(ANSWER);
    await waitUntil(() => model.sockets[0]?.destroyed === true);
    expect(await (await gateway.send("/v1/messages", REQUEST)).json()).toEqual(ANSWER);
    expect(model.sockets).toHaveLength(2);
    expect(gateway.usage).toMatchObject([{ tokens: { input: 100 } }, { tokens: { input: 100 } }]);
  });

  it("end an answer without a length", async () => {
    const model = await openRawModel((socket) => socket.end(`HTTP/1.0 200 OK\r\n\r\n${BODY}`));
    const gateway = await openTestGateway(model.url);
    expect(await (await gateway.send("/v1/messages", REQUEST)).json()).toEqual(ANSWER);
    expect(gateway.usage).toMatchObject([{ tokens: { output: 10 } }]);
  });
});

describe("upstream answers", () => {
  it.each([
    ["a length and chunks", `${OK}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["two lengths", `${OK}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`],
    ["a length that is no number", `${OK}content-length: +5\r\n\r\nhello`],
    ["a space before the colon", `${OK}content-length : 5\r\n\r\nhello`],
    ["a line break inside of a header", `${OK}x-a: b\ncontent-length: 5\r\n\r\nhello`],
    ["more headers than the limit", `${OK}x-a: ${"b".repeat(70_000)}\r\n\r\n`],
    ["a switch to another protocol", "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"],
    ["no HTTP at all", "SSH-2.0-x\r\n\r\n"],
  ])("with %s are rejected, and the connection is closed", async (_, answer) => {
    const model = await openRawModel((socket) => socket.write(answer));
    const gateway = await openTestGateway(model.url);
    const response = await gateway.send("/v1/messages", REQUEST);
    expect([response.status, await response.text()]).toEqual([
      502,
      expect.stringMatching(/The request to \S+ failed: /),
    ]);
    await waitUntil(() => model.sockets[0]?.destroyed === true);
    expect(gateway.usage).toMatchObject([{ estimated: true }]);
  });

  it("with invalid chunks break the stream to the client", async () => {
    const words = stream({ type: "content_block_delta", delta: { text: "x".repeat(300) } });
    const head = `${OK}content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n`;
    const model = await openRawModel((socket) =>
      socket.write(`${head}${words.length.toString(16)}\r\n${words}\r\nwrong\r\n`),
    );
    const gateway = await openTestGateway(model.url);
    const response = await gateway.send("/v1/messages", REQUEST);
    await expect(response.text()).rejects.toThrow("terminated");
    await waitUntil(() => gateway.usage.length > 0);
    expect(gateway.usage).toMatchObject([{ tokens: { output: 100 }, estimated: true }]);
  });

  it("are forwarded without 100 Continue and trailers", async () => {
    const model = await openRawModel((socket) => {
      const chunks = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\nx-sum: 1\r\n\r\n`;
      socket.write(`HTTP/1.1 100 Continue\r\n\r\n${OK}transfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n${chunks}`);
    });
    const gateway = await openTestGateway(model.url);
    const response = await gateway.send("/v1/messages", REQUEST);
    expect([response.headers.get("trailer"), await response.json()]).toEqual([null, ANSWER]);
  });

  it("with an endless error body are truncated", async () => {
    const model = await openTestModel((response) => {
      response.writeHead(500);
      const more = (): void => {
        while (!response.destroyed) if (!response.write("x".repeat(50_000))) return void response.once("drain", more);
      };
      more();
    });
    const gateway = await openTestGateway(model.url);
    const response = await gateway.send("/v1/messages", REQUEST);
    const { length } = await response.text();
    expect([response.status, length > 900_000 && length <= 1024 * 1024]).toEqual([500, true]);
    expect(await model.seen[0]?.ended).toBe("broken");
  });
});

async function sendRaw(url: string, text: string, isComplete: (heard: string) => boolean): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let heard = "";
  socket.on("data", (data) => (heard += data.toString()));
  socket.write(text);
  await waitUntil(() => isComplete(heard));
  return heard;
}

describe("gateway clients", () => {
  const body = JSON.stringify(REQUEST);
  const post = (version: string): string =>
    `POST /v1/messages HTTP/${version}\r\nhost: x\r\nx-api-key: ${NONCE}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

  it("may pipeline requests, which are answered in order", async () => {
    const model = await openTestModel(async (response, seen) => {
      // The second answer is complete before the first starts.
      if (model.seen[0] === seen) await waitUntil(() => model.seen.length > 1);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(stream({ type: "a" }));
      response.end(stream({ type: "b" }));
    });
    const gateway = await openTestGateway(model.url);
    const heard = await sendRaw(gateway.url, post("1.1").repeat(2), (text) => text.split("0\r\n\r\n").length > 2);
    const both = heard.split("HTTP/1.1 200 OK").slice(1);
    expect(both).toHaveLength(2);
    for (const one of both)
      expect(one.replace(/\r\n[\da-f]+\r\n/g, "")).toContain(stream({ type: "a" }, { type: "b" }));
  });

  it("with HTTP/1.0 get no chunked encoding", async () => {
    const model = await openTestModel((response) => {
      response.write(" ");
      response.end(BODY);
    });
    const gateway = await openTestGateway(model.url);
    const heard = await sendRaw(gateway.url, post("1.0"), (text) => text.includes("}}"));
    expect(heard.slice(heard.indexOf("\r\n\r\n") + 4)).toBe(` ${BODY}`);
  });
});
