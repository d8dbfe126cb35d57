import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { openGateway, type GatewayParams } from "./gateway.ts";
import { createHandler } from "./handle.ts";
import { json, KEY, NONCE, openTestModel, testPlan } from "./test-model.suite.ts";

const REQUEST = { model: "claude-x", max_tokens: 1000, messages: [{ role: "user", content: "hello" }] };

function paramsFor(upstream: string, key: string) {
  const notes: string[] = [];
  const params: GatewayParams = {
    plan: testPlan(upstream, { limitTokens: 1500 }),
    key,
    socket: null,
    onUsage: () => undefined,
    onNote: (sentence) => notes.push(sentence),
    onExhausted: (sentence) => notes.push(sentence),
  };
  return { params, notes };
}

async function send(port: number | null, path: string) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    body: JSON.stringify(REQUEST),
    headers: { "x-api-key": NONCE, "content-type": "application/json" },
  });
  return { status: response.status, text: await response.text() };
}

it("gateway: answers every request with an error if the key is not a valid header value", async () => {
  const model = await openTestModel(json({}));
  const { params, notes } = paramsFor(model.url, `${KEY}\n${KEY}`);
  const gateway = await openGateway(params);
  onTestFinished(gateway.close);
  const paths = ["/v1/messages", "/v1/messages", "/v1/messages", "/v1/messages/count_tokens"];
  // The limit allows one request at a time, so each must release its reservation.
  for (const { status, text } of await Promise.all(paths.map((path) => send(gateway.port, path)))) {
    expect(status).toBe(502);
    expect(text).toContain("failed: Invalid character in header content");
    expect(text).not.toContain(KEY);
  }
  expect([model.seen, notes]).toEqual([[], []]);
});

it("gateway: answers an unexpected error without details, and adds them to the transcript", async () => {
  const { params, notes } = paramsFor("https://model.example", KEY);
  const handle = createHandler(params, {
    name: "model.example",
    request: () => {
      throw new Error(`it broke at ${KEY}`);
    },
    close: () => undefined,
  });
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  // A TCP server always has an AddressInfo.
  const { status, text } = await send((server.address() as AddressInfo).port, "/v1/messages");
  expect([status, JSON.parse(text)]).toEqual([
    502,
    {
      type: "error",
      error: {
        type: "api_error",
        message: "The model gateway failed to handle this request. See the run's transcript for details.",
      },
    },
  ]);
  expect(notes).toEqual([`The model gateway failed to handle a request: it broke at ${KEY}.`]);
});
