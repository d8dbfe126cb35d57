import { createParser } from "eventsource-parser";
import { expect, onTestFinished, test } from "vitest";
import { openFakeGemini } from "./fake-gemini.ts";

const LONG = "A text that is longer than one piece: äöü 😀 and on.";
const TOOLS = [{ functionDeclarations: [{ name: "write_file" }] }];

async function open() {
  const input = { file_path: "a.txt" };
  const fake = await openFakeGemini({
    turns: [
      { text: LONG, tools: [{ name: "write_file", input }], usage: { cache_read_input_tokens: 200 } },
      { status: 429, error: "RESOURCE_EXHAUSTED", details: [{ quotaId: "PerDay" }] },
    ],
  });
  onTestFinished(() => fake.close());
  return (verb: string, body: object = { tools: TOOLS }) =>
    fetch(`${fake.url}/v1beta/models/gemini-x:${verb}?alt=sse`, { method: "POST", body: JSON.stringify(body) });
}

interface Chunk {
  readonly candidates: readonly { readonly content: { readonly parts: readonly { readonly text?: string }[] } }[];
  readonly usageMetadata?: object;
  readonly modelVersion: string;
}

test("fake Gemini: streams text and tool calls, with usage at the end", async () => {
  const ask = await open();
  const chunks: Chunk[] = [];
  const parser = createParser({ onEvent: ({ data }) => void chunks.push(JSON.parse(data) as Chunk) });
  parser.feed(await (await ask("streamGenerateContent")).text());
  const parts = chunks.flatMap(({ candidates }) => candidates.flatMap(({ content }) => content.parts));
  expect(parts.map(({ text = "" }) => text).join("")).toBe(LONG);
  expect(parts).toContainEqual({ functionCall: { name: "write_file", args: { file_path: "a.txt" } } });
  expect(chunks.at(-1)).toMatchObject({
    modelVersion: "gemini-x",
    usageMetadata: { promptTokenCount: 1200, cachedContentTokenCount: 200, candidatesTokenCount: 50 },
  });
});

test("fake Gemini: answers whole responses, requests without tools, and errors", async () => {
  const ask = await open();
  expect(await (await ask("generateContent", {})).json()).toMatchObject({
    candidates: [{ content: { parts: [{ text: "Fine." }] }, finishReason: "STOP" }],
  });
  expect(await (await ask("countTokens")).json()).toEqual({ totalTokens: expect.any(Number) });
  await ask("generateContent");
  const refused = await ask("generateContent");
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({
    error: { code: 429, status: "RESOURCE_EXHAUSTED", details: [{ quotaId: "PerDay" }] },
  });
});
