import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { openGateway, type GatewayParams } from "./gateway.ts";
import { createHandler } from "./handle.ts";
import { json, KEY, NONCE, openTestModel, testPlan } from "./test-model.suite.ts";

const ASKED = { model: "claude-x", max_tokens: 1000, messages: [{ role: "user", content: "hello" }] };

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

async function ask(port: number | null, path: string) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    body: JSON.stringify(ASKED),
    headers: { "x-api-key": NONCE, "content-type": "application/json" },
  });
  return { status: response.status, text: await response.text() };
}

it("answers every request with a sentence where the key is none that a header may have", async () => {
  const model = await openTestModel(json({}));
  const { params, notes } = paramsFor(model.url, `${KEY}\n${KEY}`);
  const gateway = await openGateway(params);
  onTestFinished(gateway.close);
  const paths = ["/v1/messages", "/v1/messages", "/v1/messages", "/v1/messages/count_tokens"];
  // The limit has room for one at a time: each gives back what was kept for it.
  for (const { status, text } of await Promise.all(paths.map((path) => ask(gateway.port, path)))) {
    expect(status).toBe(502);
    expect(text).toContain("could not be asked: Invalid character in header content");
    expect(text).not.toContain(KEY);
  }
  expect([model.seen, notes]).toEqual([[], []]);
});

it("answers also where something fails that nobody foresaw, and says what only in the transcript", async () => {
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
  // A server that listens on TCP has an address of this kind.
  const { status, text } = await ask((server.address() as AddressInfo).port, "/v1/messages");
  expect([status, JSON.parse(text)]).toEqual([
    502,
    {
      type: "error",
      error: { type: "api_error", message: "The model gateway failed at this request; the run's log says why." },
    },
  ]);
  expect(notes).toEqual([`The model gateway failed at a request: it broke at ${KEY}.`]);
});
