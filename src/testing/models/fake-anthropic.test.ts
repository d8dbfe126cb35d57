import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createParser } from "eventsource-parser";
import { expect, onTestFinished, test } from "vitest";
import { openFakeAnthropic, toolResults } from "./fake-anthropic.ts";
import type { FakeAnthropic, FakeParams } from "./fake-anthropic.ts";

const TOOLS = [{ name: "Write" }];

async function open(turns: FakeParams["turns"], more: Partial<FakeParams> = {}): Promise<FakeAnthropic> {
  const fake = await openFakeAnthropic({ turns, ...more });
  onTestFinished(() => fake.close());
  return fake;
}

function ask(fake: FakeAnthropic, body: object, path = "/v1/messages"): Promise<Response> {
  const headers = { "content-type": "application/json", "x-api-key": "nonce" };
  const whole = { model: "some-model", tools: TOOLS, messages: [], ...body };
  return fetch(fake.url + path, { method: "POST", headers, body: JSON.stringify(whole) });
}

interface Event {
  readonly type: string;
  readonly delta?: { readonly text?: string; readonly partial_json?: string; readonly stop_reason?: string };
  readonly usage?: object;
}

async function eventsOf(response: Response): Promise<readonly Event[]> {
  const events: Event[] = [];
  const parser = createParser({ onEvent: ({ data }) => void events.push(JSON.parse(data) as Event) });
  parser.feed(await response.text());
  return events;
}

test("fake Anthropic: plays its turns in order, streamed or whole, and reports when there are none left", async () => {
  const long = "A text that is longer than one piece: äöü 😀 and on.";
  const input = { file_path: "/w/a.txt", content: 'with "quotes"\n' };
  const usage = { input_tokens: 7, output_tokens: 9 };
  const fake = await open([{ text: long, tools: [{ name: "Write", input }], usage }, { text: "Whole." }]);
  const events = await eventsOf(await ask(fake, { stream: true }));
  expect(events.map(({ delta }) => delta?.text ?? "").join("")).toBe(long);
  expect(JSON.parse(events.map(({ delta }) => delta?.partial_json ?? "").join(""))).toEqual(input);
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(["message_start", "message_stop"]);
  expect(events.at(-2)).toMatchObject({ type: "message_delta", delta: { stop_reason: "tool_use" }, usage });
  const whole = await (await ask(fake, {})).json();
  expect(whole).toMatchObject({ model: "some-model", content: [{ text: "Whole." }], stop_reason: "end_turn" });
  expect(await (await ask(fake, {})).text()).toContain("There are no more turns.");
});

test("fake Anthropic: requests without tools use no turn, and all requests are recorded", async () => {
  const fake = await open([{ text: "First." }], { aside: { text: "A title." } });
  expect(await (await ask(fake, { tools: [] })).text()).toContain("A title.");
  expect(await (await ask(fake, {}, "/v1/messages/count_tokens")).json()).toEqual({ input_tokens: expect.any(Number) });
  expect((await ask(fake, {}, "/v1/elsewhere")).status).toBe(404);
  expect(await (await ask(fake, {})).text()).toContain("First.");
  expect(fake.requests.map(({ turn }) => turn)).toEqual([null, null, null, 0]);
  expect(fake.requests.at(-1)).toMatchObject({
    method: "POST",
    path: "/v1/messages",
    headers: { "x-api-key": "nonce" },
  });
});

test("fake Anthropic: a turn may depend on the request", async () => {
  const fake = await open([
    (asked) => ({
      text: `heard ${toolResults(asked)
        .map((each) => each.text)
        .join()}`,
    }),
  ]);
  const results = [
    { type: "tool_result", content: "one" },
    { type: "tool_result", content: [{ type: "text", text: "two" }], is_error: true },
  ];
  const reply = await ask(fake, { messages: [{ role: "user", content: results }] });
  expect(await reply.text()).toContain("heard one,two");
  expect(fake.requests.flatMap(toolResults).map(({ isError }) => isError)).toEqual([false, true]);
});

test("fake Anthropic: simulates errors, dropped connections and missing responses", async () => {
  const refusal = { status: 529, error: "overloaded_error", headers: { "retry-after": "1" } };
  const fake = await open([refusal, { text: "A text that is cut.", dropAfter: 2 }, { hangs: true }]);
  const refused = await ask(fake, {});
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([529, "1"]);
  expect(await refused.json()).toMatchObject({ type: "error", error: { type: "overloaded_error" } });
  await expect(ask(fake, { stream: true }).then((response) => response.text())).rejects.toThrow(/terminated/);
  const silent = ask(fake, {});
  await expect(Promise.race([silent, new Promise((done) => setTimeout(done, 100, "nothing"))])).resolves.toBe(
    "nothing",
  );
  await fake.close();
  await expect(silent).rejects.toThrow(/fetch failed/);
});

test("fake Anthropic: can listen on a Unix socket", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-fake-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const socketPath = join(folder, "model.sock");
  const fake = await open([{ text: "By the socket." }], { socket: socketPath });
  const { promise, resolve } = Promise.withResolvers<string>();
  request({ socketPath, path: "/v1/messages", method: "POST" }, (response) => resolve(text(response))).end(
    JSON.stringify({ tools: TOOLS }),
  );
  expect(await promise).toContain("By the socket.");
  expect(fake.url).toBe("");
});
