import { createParser } from "eventsource-parser";
import { expect, onTestFinished, test } from "vitest";
import { openFakeOpenai } from "./fake-openai.ts";

const LONG = "A text that is longer than one piece: äöü 😀 and on.";
const INPUT = { path: "a.txt", content: 'with "quotes"\n' };
const REPLY = { text: LONG, tools: [{ name: "write", namespace: "files", input: INPUT }] };
const USAGE = { cache_read_input_tokens: 200 };

async function ask(path: string, body: object) {
  const fake = await openFakeOpenai({
    turns: [
      { ...REPLY, usage: USAGE },
      { status: 401, error: "invalid_api_key" },
    ],
  });
  onTestFinished(() => fake.close());
  const whole = { model: "some-model", tools: [{ name: "write" }], ...body };
  return () => fetch(fake.url + path, { method: "POST", body: JSON.stringify(whole) });
}

interface Event {
  readonly type?: string;
  readonly delta?: string;
  readonly item?: Readonly<Record<string, unknown>>;
  readonly choices?: readonly {
    readonly delta: { readonly content?: string; readonly tool_calls?: readonly Call[] };
  }[];
  readonly usage?: object;
}

interface Call {
  readonly function: { readonly name?: string; readonly arguments: string };
}

async function eventsOf(response: Response): Promise<readonly Event[]> {
  const events: Event[] = [];
  const parser = createParser({
    onEvent: ({ data }) => void (data === "[DONE]" || events.push(JSON.parse(data) as Event)),
  });
  parser.feed(await response.text());
  return events;
}

test("fake OpenAI: implements the Responses API, streamed and whole", async () => {
  const events = await eventsOf(await (await ask("/v1/responses", { stream: true }))());
  expect(events.map(({ delta = "" }) => delta).join("")).toBe(LONG);
  const call = events.findLast(({ type }) => type === "response.output_item.done")?.item;
  expect(call).toMatchObject({ type: "function_call", name: "write", namespace: "files" });
  expect(JSON.parse(String(call?.["arguments"]))).toEqual(INPUT);
  expect(events.at(-1)).toMatchObject({
    type: "response.completed",
    response: { usage: { input_tokens: 1200, input_tokens_details: { cached_tokens: 200 }, output_tokens: 50 } },
  });
  const whole = await (await (await ask("/v1/responses", {}))()).json();
  expect(whole).toMatchObject({ status: "completed", output: [{ type: "message" }, { type: "function_call" }] });
});

test("fake OpenAI: implements chat completions, streamed and whole", async () => {
  const events = await eventsOf(await (await ask("/v1/chat/completions", { stream: true }))());
  const deltas = events.flatMap(({ choices = [] }) => choices.map(({ delta }) => delta));
  expect(deltas.map(({ content = "" }) => content).join("")).toBe(LONG);
  const calls = deltas.flatMap(({ tool_calls = [] }) => tool_calls);
  expect(calls[0]?.function.name).toBe("write");
  expect(JSON.parse(calls.map((call) => call.function.arguments).join(""))).toEqual(INPUT);
  expect(events.at(-1)?.usage).toMatchObject({ prompt_tokens: 1200, completion_tokens: 50 });
  const whole = await (await (await ask("/v1/chat/completions", {}))()).json();
  expect(whole).toMatchObject({ choices: [{ finish_reason: "tool_calls", message: { content: LONG } }] });
});

test("fake OpenAI: returns OpenAI's errors", async () => {
  const again = await ask("/v1/responses", {});
  await again();
  const refused = await again();
  expect(refused.status).toBe(401);
  expect(await refused.json()).toMatchObject({ error: { code: "invalid_api_key" } });
});
