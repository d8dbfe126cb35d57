import { request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { waitUntil } from "../../testing/wait-until.ts";
import { events, json, KEY, NONCE, openTestGateway, openTestModel, stream } from "./test-model.suite.ts";

const ANSWER = { model: "claude-x-1", content: [], usage: { input_tokens: 100, output_tokens: 10 } };
const START_USAGE = { input_tokens: 100, output_tokens: 1 };
const START = { type: "message_start", message: { model: "claude-x-1", usage: START_USAGE } };
const WORDS = { type: "content_block_delta", delta: { type: "text_delta", text: "x".repeat(300) } };
const END = { type: "message_delta", usage: { output_tokens: 120 } };
const REQUEST = { model: "claude-x", max_tokens: 1000, messages: [{ role: "user", content: "hello" }] };

const CASES = [
  ["anthropic", "/v1/messages", "x-api-key", REQUEST, [START, WORDS, END]],
  [
    "openai",
    "/v1/responses",
    "authorization",
    { model: "gpt-x", input: "hello" },
    [{ type: "response.completed", response: { model: "gpt-x-1", usage: { input_tokens: 100, output_tokens: 120 } } }],
  ],
  [
    "openai",
    "/v1/chat/completions",
    "authorization",
    { model: "gpt-x", messages: [], stream: true, stream_options: { include_usage: true } },
    [{ model: "gpt-x-1", choices: [], usage: { prompt_tokens: 100, completion_tokens: 120 } }, "[DONE]"],
  ],
  [
    "gemini",
    "/v1beta/models/gemini-x:streamGenerateContent?alt=sse",
    "x-goog-api-key",
    { contents: [] },
    [{ modelVersion: "gemini-x-1", usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 120 } }],
  ],
] as const;

describe("gateway: requests", () => {
  it.each(CASES)("streams a request of %s to %s, with the key in %s", async (...one) => {
    const [api, path, header, body, parts] = one;
    const model = await openTestModel(events(...parts));
    const gateway = await openTestGateway(`${model.url}/base/`, { api });
    const response = await gateway.send(path, body, { headers: { authorization: `Bearer ${NONCE}` } });
    expect(await response.text()).toBe(stream(...parts));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const [seen] = model.seen;
    expect(seen?.url).toBe(`/base${path}`);
    expect(JSON.parse(seen?.body ?? "")).toEqual(body);
    expect(seen?.headers[header]).toBe(header === "authorization" ? `Bearer ${KEY}` : KEY);
    expect(JSON.stringify(seen)).not.toContain(NONCE);
    expect(gateway.usage).toEqual([
      {
        type: "usage",
        tokens: { input: 100, output: 120, cache_read: 0, cache_write: 0 },
        cost_usd: expect.any(Number),
        model: expect.stringMatching(/-x-1$/),
      },
    ]);
  });

  it("accepts the nonce wherever clients put their key", async () => {
    const model = await openTestModel(json({}));
    const gateway = await openTestGateway(model.url, { api: "gemini" });
    const sendModels = (query: string, headers: Record<string, string>) =>
      fetch(`${gateway.url}/v1beta/models${query}`, { headers }).then(({ status }) => status);
    expect(await sendModels(`?key=${NONCE}`, {})).toBe(200);
    expect(await sendModels("", { "x-goog-api-key": NONCE })).toBe(200);
    expect(await sendModels("", { authorization: `bearer ${NONCE}` })).toBe(200);
    expect(await sendModels(`?key=${NONCE}x`, { "x-api-key": "", authorization: NONCE })).toBe(401);
    expect(model.seen).toHaveLength(3);
    expect(JSON.stringify(model.seen)).not.toContain(NONCE);
  });

  it("sends a subscription token as a bearer token with the OAuth beta header", async () => {
    const model = await openTestModel(json(ANSWER));
    const gateway = await openTestGateway(model.url, { keyKind: "token" });
    await gateway.send("/v1/messages", REQUEST, { headers: { "anthropic-beta": "one-1, two-2" } });
    const { headers } = model.seen[0] ?? {};
    expect(headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      "anthropic-beta": "one-1,two-2,oauth-2025-04-20",
    });
    expect(headers).not.toHaveProperty("x-api-key");
  });

  it("forwards a request of a megabyte unchanged", async () => {
    const model = await openTestModel(json(ANSWER));
    const gateway = await openTestGateway(model.url);
    const body = { ...REQUEST, messages: [{ role: "user", content: "ä€𝄞\u2028".repeat(150_000) }] };
    expect((await gateway.send("/v1/messages", body)).status).toBe(200);
    expect(JSON.parse(model.seen[0]?.body ?? "")).toEqual(body);
  });

  it("forwards free requests without counting them", async () => {
    const model = await openTestModel(json({ input_tokens: 5, usage: { input_tokens: 5 } }));
    const gateway = await openTestGateway(model.url, { limitTokens: 1 });
    expect(await (await gateway.send("/v1/messages/count_tokens", REQUEST)).json()).toMatchObject({ input_tokens: 5 });
    expect(gateway.usage).toEqual([]);
  });

  it("requests the usage if the client did not, and removes it from the answer", async () => {
    const words = { model: "gpt-x", choices: [{ delta: { content: "hi" } }], usage: null };
    const usage = { model: "gpt-x", choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } };
    const model = await openTestModel(events(words, usage, "[DONE]"));
    const gateway = await openTestGateway(model.url, { api: "openai" });
    const response = await gateway.send("/v1/chat/completions", { model: "gpt-x", messages: [], stream: true });
    expect(await response.text()).toBe(stream(words, "[DONE]"));
    expect(JSON.parse(model.seen[0]?.body ?? "")).toMatchObject({ stream_options: { include_usage: true } });
    expect(gateway.usage).toMatchObject([{ tokens: { input: 7, output: 3 }, model: "gpt-x" }]);
  });

  it("counts concurrent requests separately", async () => {
    const model = await openTestModel(async (response, seen) => {
      await sleep(Math.random() * 30);
      const request = JSON.parse(seen.body) as { max_tokens: number };
      json({ model: "claude-x", usage: { input_tokens: 1, output_tokens: request.max_tokens } })(response, seen);
    });
    const gateway = await openTestGateway(model.url);
    const all = Array.from({ length: 40 }, (_, index) =>
      gateway.send("/v1/messages", { ...REQUEST, max_tokens: index }),
    );
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array(40).fill(200));
    const counted = gateway.usage.map((line) => (line as { tokens: { output: number } }).tokens.output);
    expect(counted.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index));
  });
});

describe("gateway: streams", () => {
  it("forwards each chunk immediately", async () => {
    const goOn = Promise.withResolvers<void>();
    const model = await openTestModel(async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(stream(START));
      await goOn.promise;
      response.end(stream(END));
    });
    const gateway = await openTestGateway(model.url);
    const reader = (await gateway.send("/v1/messages", REQUEST)).body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toBe(stream(START));
    goOn.resolve();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(stream(END));
  });

  it("breaks the stream to the client if upstream breaks it, and counts what is known", async () => {
    const model = await openTestModel(async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(stream(START, WORDS));
      await sleep(30);
      response.destroy();
    });
    const gateway = await openTestGateway(model.url);
    const response = await gateway.send("/v1/messages", REQUEST);
    await expect(response.text()).rejects.toThrow("terminated");
    await waitUntil(() => gateway.usage.length > 0);
    expect(gateway.usage).toEqual([
      {
        type: "usage",
        tokens: { input: 100, output: 100, cache_read: 0, cache_write: 0 },
        cost_usd: expect.closeTo(0.006),
        model: "claude-x-1",
        estimated: true,
      },
    ]);
  });

  it("aborts and counts the upstream request when the client disconnects", async () => {
    const model = await openTestModel((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(stream(START, WORDS));
    });
    const gateway = await openTestGateway(model.url);
    const left = new AbortController();
    const response = await gateway.send("/v1/messages", REQUEST, { signal: left.signal });
    await response.body?.getReader().read();
    left.abort();
    expect(await model.seen[0]?.ended).toBe("broken");
    await waitUntil(() => gateway.usage.length > 0);
    expect(gateway.usage).toMatchObject([{ tokens: { input: 100, output: 100 }, estimated: true }]);
  });

  it("counts the input if the client disconnects before the answer", async () => {
    const model = await openTestModel(() => undefined);
    const gateway = await openTestGateway(model.url);
    const client = new AbortController();
    const pending = gateway.send("/v1/messages", REQUEST, { signal: client.signal });
    await waitUntil(() => model.seen.length > 0);
    client.abort();
    await expect(pending).rejects.toThrow("aborted");
    await waitUntil(() => gateway.usage.length > 0);
    expect(gateway.usage).toMatchObject([{ tokens: { output: 0 }, model: "claude-x", estimated: true }]);
  });

  it("applies backpressure for a slow client", async () => {
    const total = 64 * 1024 * 1024;
    let sent = 0;
    const model = await openTestModel((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const chunk = Buffer.from(stream(WORDS).repeat(200));
      const more = (): void => {
        while (sent < total && !response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once("drain", more);
        }
        response.end();
      };
      more();
    });
    const gateway = await openTestGateway(model.url);
    const slow = httpRequest(`${gateway.url}/v1/messages`, { method: "POST", headers: { "x-api-key": NONCE } });
    slow.end(JSON.stringify(REQUEST));
    slow.on("error", () => undefined);
    await new Promise((resolve) => slow.once("response", resolve));
    await sleep(300);
    expect(sent).toBeLessThan(total / 2);
    slow.destroy();
    await waitUntil(() => gateway.usage.length > 0);
  });

  it("counts a pending stream when the gateway closes, and can be closed twice", async () => {
    const model = await openTestModel((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(stream(START));
    });
    const gateway = await openTestGateway(model.url);
    const response = await gateway.send("/v1/messages", REQUEST);
    const read = response.text().catch((error: Error) => error.message);
    await gateway.close();
    expect(gateway.usage).toMatchObject([{ tokens: { input: 100 }, estimated: true }]);
    await gateway.close();
    expect(await read).toBe("terminated");
  });
});

describe("gateway: upstream errors", () => {
  it("forwards errors of upstream unchanged, without usage", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const model = await openTestModel((response) => {
      response.writeHead(529, { "content-type": "application/json", "retry-after": "7" });
      response.end(JSON.stringify(error));
    });
    const gateway = await openTestGateway(model.url);
    const response = await gateway.send("/v1/messages", REQUEST);
    expect([response.status, response.headers.get("retry-after"), await response.json()]).toEqual([529, "7", error]);
    expect(gateway.usage).toEqual([]);
  });

  it("returns an error message if upstream is unreachable", async () => {
    const gateway = await openTestGateway("http://127.0.0.1:9");
    const response = await gateway.send("/v1/messages", REQUEST);
    expect([response.status, await response.json()]).toEqual([
      502,
      {
        type: "error",
        error: { type: "api_error", message: expect.stringMatching(/^The request to 127\.0\.0\.1:9 failed: /) },
      },
    ]);
    expect(gateway.usage).toEqual([]);
  });

  it("retries once if upstream closed an idle connection", async () => {
    let count = 0;
    const model = await openTestModel((response, seen) => {
      count++;
      if (count === 2) response.socket?.resetAndDestroy();
      else json(ANSWER)(response, seen);
    });
    const gateway = await openTestGateway(model.url);
    await (await gateway.send("/v1/messages", REQUEST)).text();
    expect((await gateway.send("/v1/messages", REQUEST)).status).toBe(200);
    expect([count, gateway.usage.length]).toEqual([3, 2]);
  });

  it("does not follow redirects", async () => {
    const other = await openTestModel(json(ANSWER));
    const model = await openTestModel((response) => {
      response.writeHead(307, { location: `${other.url}/v1/messages` });
      response.end();
    });
    const gateway = await openTestGateway(model.url);
    const response = await gateway.send("/v1/messages", REQUEST, { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([502, null]);
    expect(other.seen).toEqual([]);
  });

  it("rejects a compressed answer and counts its maximum usage", async () => {
    const model = await openTestModel((response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end("?");
    });
    const gateway = await openTestGateway(model.url);
    expect((await gateway.send("/v1/messages", REQUEST)).status).toBe(502);
    expect(model.seen[0]?.headers["accept-encoding"]).toBe("identity");
    expect(gateway.usage).toMatchObject([{ tokens: { output: 1000 }, estimated: true }]);
  });
});

describe("gateway: upstream address", () => {
  it.each([
    "http://model.example",
    "http://127.0.0.1.evil.example",
    "ftp://127.0.0.1",
    "https://user@model.example",
    "https://model.example/?to=x",
    "model.example",
  ])("rejects %s", async (upstream) => {
    await expect(openTestGateway(upstream)).rejects.toThrow(/is not safe for sending a key/);
  });
});

describe("gateway: limits", () => {
  it("rejects a request over the limit before it is sent, in the format of the API", async () => {
    const model = await openTestModel(json(ANSWER));
    const message = /^The budget of this run does not allow another request: 0\.0000 of 0\.04/;
    for (const [api, path, body, shape] of [
      ["anthropic", "/v1/messages", REQUEST, { type: "error", error: { type: "invalid_request_error" } }],
      [
        "openai",
        "/v1/responses",
        { model: "gpt-x", max_output_tokens: 9000 },
        { error: { type: "invalid_request_error", code: null } },
      ],
      [
        "gemini",
        "/v1beta/models/gemini-x:generateContent",
        { generationConfig: { maxOutputTokens: 6000, candidateCount: 2 } },
        { error: { code: 400, status: "FAILED_PRECONDITION" } },
      ],
    ] as const) {
      const gateway = await openTestGateway(model.url, { api, limitUsd: 0.04 });
      const response = await gateway.send(path, body);
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { ...shape, error: { ...shape.error, message: expect.stringMatching(message) } },
      ]);
      expect(gateway.exhausted).toEqual([expect.stringMatching(message)]);
    }
    expect(model.seen).toEqual([]);
  });

  it("counts what was spent, and reports an exhausted budget once", async () => {
    const model = await openTestModel(json({ model: "claude-x", usage: { input_tokens: 0, output_tokens: 900 } }));
    const gateway = await openTestGateway(model.url, { limitTokens: 2000 });
    expect((await gateway.send("/v1/messages", REQUEST)).status).toBe(200);
    expect(gateway.exhausted).toEqual([]);
    for (const attempt of [1, 2])
      expect([attempt, (await gateway.send("/v1/messages", { ...REQUEST, max_tokens: 1090 })).status]).toEqual([
        attempt,
        400,
      ]);
    expect(gateway.exhausted).toEqual([expect.stringContaining("900 of 2000 tokens are spent")]);
    expect(model.seen).toHaveLength(1);
  });

  it("estimates input by its size, except for images", async () => {
    const model = await openTestModel(json(ANSWER));
    const gateway = await openTestGateway(model.url, { limitTokens: 10_000 });
    const picture = { type: "base64", media_type: "image/png", data: "A".repeat(500_000) };
    const seen = { ...REQUEST, messages: [{ role: "user", content: [{ type: "image", source: picture }] }] };
    expect((await gateway.send("/v1/messages", seen)).status).toBe(200);
    const read = { ...REQUEST, messages: [{ role: "user", content: "A ".repeat(20_000) }] };
    expect((await gateway.send("/v1/messages", read)).status).toBe(400);
  });

  it("cuts off a stream that exceeds the limit", async () => {
    const model = await openTestModel(async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let count = 0; count < 1000 && !response.destroyed; count++) {
        response.write(stream({ type: "response.output_text.delta", delta: "x".repeat(3000) }));
        await sleep(1);
      }
      response.end();
    });
    const gateway = await openTestGateway(model.url, { api: "openai", limitTokens: 50_000 });
    const response = await gateway.send("/v1/responses", { model: "gpt-x", input: "hello", stream: true });
    await expect(response.text()).rejects.toThrow("terminated");
    expect(await model.seen[0]?.ended).toBe("broken");
    await waitUntil(() => gateway.exhausted.length > 0);
    expect(gateway.exhausted[0]).toMatch(/used up, and a response was cut off: 5\d{4} of 50000 tokens/);
    expect(gateway.usage).toMatchObject([{ estimated: true }]);
  });

  it("rejects a model without a price, but still accepts others", async () => {
    const model = await openTestModel(json(ANSWER));
    const gateway = await openTestGateway(model.url, { limitUsd: 5 });
    for (const attempt of [1, 2]) {
      const response = await gateway.send("/v1/messages", { ...REQUEST, model: "unheard-of" });
      expect([attempt, response.status, await response.text()]).toEqual([
        attempt,
        400,
        expect.stringContaining("price of model unheard-of is unknown"),
      ]);
    }
    expect((await gateway.send("/v1/messages", REQUEST)).status).toBe(200);
    expect([gateway.notes.length, gateway.exhausted]).toEqual([1, []]);
  });
});
