import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { waitUntil } from "../../testing/wait-until.ts";
import { json, KEY, NONCE, openTestGateway, openTestModel } from "./test-model.suite.ts";

const ANSWER = { model: "claude-x-1", content: [], usage: { input_tokens: 100, output_tokens: 10 } };
const REQUEST = { model: "claude-x", max_tokens: 1000, messages: [] };

/** Sends raw lines, which a client library might reject. */
async function sendRaw(url: string, ...lines: readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(lines.join("\r\n"));
  return new Promise((resolve) => {
    socket.once("close", () => resolve(""));
    socket.once("data", (data) => {
      resolve(data.toString());
      socket.destroy();
    });
  });
}

describe("gateway: missing or wrong nonce", () => {
  it.each([
    ["none", {}],
    ["a wrong one", { "x-api-key": `${NONCE}x` }],
    ["an empty one", { "x-api-key": "", authorization: "Bearer " }],
    ["its beginning", { authorization: `Bearer ${NONCE.slice(0, -1)}` }],
    ["the real key", { "x-api-key": KEY }],
  ])("is rejected with an error message: %s", async (_, headers) => {
    const model = await openTestModel(json(ANSWER));
    const gateway = await openTestGateway(model.url);
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers,
      body: JSON.stringify(REQUEST),
    });
    expect([response.status, await response.json()]).toEqual([
      401,
      { type: "error", error: { type: "authentication_error", message: expect.stringContaining("model gateway") } },
    ]);
    expect(model.seen).toEqual([]);
  });
});

describe("gateway: malicious requests", () => {
  const auth = `x-api-key: ${NONCE}`;
  const body = JSON.stringify(REQUEST);
  it.each([
    [
      "an absolute URL of another host",
      404,
      [`POST http://evil.example/v1/messages HTTP/1.1`, "host: evil.example", auth],
    ],
    ["a path with ..", 404, [`POST /v1/models/../messages HTTP/1.1`, "host: x", auth]],
    ["another path", 404, ["GET /v1/organizations HTTP/1.1", "host: x", auth]],
    ["an upgrade", 404, ["GET /v1/responses HTTP/1.1", "host: x", auth, "connection: upgrade", "upgrade: websocket"]],
    ["two lengths", 400, ["POST /v1/messages HTTP/1.1", "host: x", auth, "content-length: 1", "content-length: 9"]],
    [
      "a length and chunks",
      400,
      ["POST /v1/messages HTTP/1.1", "host: x", auth, "content-length: 4", "transfer-encoding: chunked"],
    ],
    ["a strange coding", 400, ["POST /v1/messages HTTP/1.1", "host: x", auth, "transfer-encoding: xchunked"]],
    ["a header that is folded", 400, ["POST /v1/messages HTTP/1.1", "host: x", auth, "x-a: b", " c: d"]],
    [
      "a compressed body",
      415,
      ["POST /v1/messages HTTP/1.1", "host: x", auth, "content-encoding: gzip", "content-length: 0"],
    ],
    ["a body that is too large", 413, ["POST /v1/messages HTTP/1.1", "host: x", auth, "content-length: 99999999"]],
    ["a body that is no object", 400, ["POST /v1/messages HTTP/1.1", "host: x", auth, "content-length: 0"]],
  ])("%s", async (_, status, head) => {
    const model = await openTestModel(json(ANSWER));
    const gateway = await openTestGateway(model.url);
    expect(await sendRaw(gateway.url, ...head, "", "")).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(model.seen).toEqual([]);
  });

  it("does not open tunnels", async () => {
    const gateway = await openTestGateway("http://127.0.0.1:9");
    expect(
      await sendRaw(gateway.url, "CONNECT evil.example:443 HTTP/1.1", "host: evil.example:443", auth, "", ""),
    ).not.toContain("200");
  });

  it("does not forward the body of a GET as a second request", async () => {
    const model = await openTestModel(json({ data: [] }));
    const gateway = await openTestGateway(model.url);
    const inner = "DELETE /v1/files/x HTTP/1.1\r\nhost: x\r\n\r\n";
    const head = ["GET /v1/models HTTP/1.1", "host: x", auth, `content-length: ${inner.length}`, "connection: close"];
    expect(await sendRaw(gateway.url, ...head, "", inner)).toMatch(/^HTTP\/1.1 200 /);
    expect(model.seen).toMatchObject([{ method: "GET", url: "/v1/models", body: "" }]);
  });

  it("drops headers that select another host, payer, method or hop", async () => {
    const model = await openTestModel(json(ANSWER));
    const gateway = await openTestGateway(model.url);
    const sent = [
      "POST /v1/messages HTTP/1.1",
      "host: evil.example",
      auth,
      "authorization: Bearer other",
      "cookie: a=b",
      "x-forwarded-host: evil.example",
      "forwarded: host=evil.example",
      "x-http-method-override: DELETE",
      "openai-organization: other",
      "x-goog-user-project: other",
      "proxy-authorization: Basic eA==",
      "te: trailers",
      "connection: close, anthropic-beta",
      "anthropic-beta: for-the-neighbour",
      "anthropic-version: 2023-06-01",
      `content-length: ${body.length}`,
    ];
    expect(await sendRaw(gateway.url, ...sent, "", body)).toMatch(/^HTTP\/1.1 200 /);
    expect(model.seen[0]?.headers).toEqual({
      host: new URL(model.url).host,
      connection: "keep-alive",
      "accept-encoding": "identity",
      "anthropic-version": "2023-06-01",
      "content-length": expect.any(String),
      "x-api-key": KEY,
    });
  });

  it("forwards only the checked value of a duplicate JSON key", async () => {
    const model = await openTestModel(json(ANSWER));
    const gateway = await openTestGateway(model.url, { limitTokens: 5000 });
    const twice = `{"model":"claude-x","max_tokens":900000,"messages":[],"max_tokens":10}`;
    await gateway.send("/v1/messages", null, { body: twice });
    expect(model.seen[0]?.body).toBe('{"model":"claude-x","max_tokens":10,"messages":[]}');
  });

  it("rejects background requests, which would not be counted", async () => {
    const model = await openTestModel(json(ANSWER));
    const gateway = await openTestGateway(model.url, { api: "openai" });
    expect((await gateway.send("/v1/responses", { model: "gpt-x", background: true })).status).toBe(400);
    expect(model.seen).toEqual([]);
  });

  it("rejects bodies that are too large alone or together, and accepts requests again afterwards", async () => {
    const model = await openTestModel(json(ANSWER));
    const gateway = await openTestGateway(model.url);
    const dense = `{"model":"claude-x","messages":[${"[],".repeat(1_500_000)}0]}`;
    expect((await gateway.send("/v1/messages", null, { body: dense })).status).toBe(413);
    // Each body stays just below the limit and is never finished.
    const heard: string[] = [];
    const unfinished = [1, 2, 3, 4].map(() => {
      const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
      socket.on("error", () => undefined);
      socket.on("data", (data) => heard.push(data.toString()));
      socket.write(`POST /v1/messages HTTP/1.1\r\nhost: x\r\n${auth}\r\ncontent-length: 33000000\r\n\r\n`);
      socket.write(Buffer.alloc(32_900_000, " "));
      return socket;
    });
    await waitUntil(() => heard.length > 0);
    expect(heard).toEqual([expect.stringMatching(/^HTTP\/1.1 413 .*all pending requests exceed/s)]);
    for (const socket of unfinished) socket.destroy();
    expect((await gateway.send("/v1/messages", REQUEST)).status).toBe(200);
  });

  it("answers a deeply nested request", async () => {
    const model = await openTestModel(json(ANSWER));
    const gateway = await openTestGateway(model.url);
    const deep = `{"model":"claude-x","max_tokens":1,"messages":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
    const response = await gateway.send("/v1/messages", null, { body: deep });
    expect([200, 400]).toContain(response.status);
  });
});

describe("gateway: key", () => {
  it("is redacted in errors of upstream", async () => {
    const model = await openTestModel((response) => {
      response.writeHead(401, { "content-type": "text/plain", "x-request-echo": `got ${KEY}`, "set-cookie": "s=1" });
      response.end(`wrong key ${KEY}, says ${KEY}`);
    });
    const gateway = await openTestGateway(model.url);
    const response = await gateway.send("/v1/messages", REQUEST);
    const all = JSON.stringify([[...response.headers], await response.text(), gateway]);
    expect(response.status).toBe(401);
    expect(all).toContain("wrong key [key], says [key]");
    expect(all).not.toContain(KEY);
    expect(response.headers.get("set-cookie")).toBeNull();
  });

  it("is not part of the gateway's own messages", async () => {
    const gateway = await openTestGateway("http://127.0.0.1:9", { limitUsd: 1 });
    const answers = await Promise.all([
      gateway.send("/v1/messages", REQUEST),
      gateway.send("/v1/messages", { ...REQUEST, max_tokens: 1e9 }),
      gateway.send("/v1/messages", { ...REQUEST, model: "other" }),
      gateway.send(`/${KEY.slice(0, 4)}`, REQUEST),
      fetch(gateway.url),
    ]);
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }) => status)).toEqual([502, 400, 400, 404, 401]);
    expect(JSON.stringify([texts, gateway])).not.toContain(KEY);
  });
});
