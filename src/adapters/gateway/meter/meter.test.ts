import { describe, expect, it } from "vitest";
import { createMeter } from "./meter.ts";
import type { Shape } from "../routes.ts";
import { stream } from "../test-model.suite.ts";

function measure(shape: Shape, text: string, { isStream = true, size = 7 } = {}) {
  const meter = createMeter({ shape, isStream, inputTokens: 1000 });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) meter.push(bytes.subarray(at, at + size));
  return meter.end();
}

const MESSAGE_START = {
  type: "message_start",
  message: {
    model: "claude-x-1",
    usage: { input_tokens: 12, cache_read_input_tokens: 300, cache_creation_input_tokens: 40, output_tokens: 1 },
  },
};
const delta = (text: string) => ({
  type: "content_block_delta",
  index: 0,
  delta: { type: "text_delta", text },
});

const STREAMS: Readonly<Record<Shape, string>> = {
  anthropic: stream(
    MESSAGE_START,
    delta('a trap: "usage":{"output_tokens":9999}'),
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 20 } },
    { type: "message_delta", delta: {}, usage: { output_tokens: 25 } },
    { type: "message_stop" },
  ),
  responses: stream(
    { type: "response.created", response: { model: "gpt-x", usage: null } },
    { type: "response.output_text.delta", delta: "words" },
    {
      type: "response.completed",
      response: {
        model: "gpt-x-1",
        usage: {
          input_tokens: 352,
          input_tokens_details: { cached_tokens: 300, cache_write_tokens: 40 },
          output_tokens: 25,
        },
      },
    },
  ),
  chat: stream(
    { model: "gpt-x-1", choices: [{ delta: { content: "words" } }], usage: null },
    {
      model: "gpt-x-1",
      choices: [],
      usage: {
        prompt_tokens: 352,
        prompt_tokens_details: { cached_tokens: 300, cache_write_tokens: 40 },
        completion_tokens: 25,
      },
    },
    "[DONE]",
  ),
  gemini: stream(
    { modelVersion: "gemini-x", candidates: [], usageMetadata: { promptTokenCount: 300, candidatesTokenCount: 2 } },
    {
      modelVersion: "gemini-x",
      usageMetadata: {
        promptTokenCount: 340,
        toolUsePromptTokenCount: 12,
        cachedContentTokenCount: 300,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 5,
      },
    },
  ),
};

describe("meter: streams", () => {
  const EXPECTED = {
    anthropic: { model: "claude-x-1", tokens: { input: 12, output: 25, cacheRead: 300, cacheWrite: 40 } },
    responses: { model: "gpt-x-1", tokens: { input: 12, output: 25, cacheRead: 300, cacheWrite: 40 } },
    chat: { model: "gpt-x-1", tokens: { input: 12, output: 25, cacheRead: 300, cacheWrite: 40 } },
    gemini: { model: "gemini-x", tokens: { input: 52, output: 25, cacheRead: 300, cacheWrite: 0 } },
  };
  const shapes = Object.keys(STREAMS) as Shape[];
  it.each(shapes)("counts a stream of %s in chunks of any size", (shape) => {
    for (const size of [1, 2, 13, 64, 100_000])
      expect(measure(shape, STREAMS[shape], { size })).toEqual({ ...EXPECTED[shape], isEstimated: false });
  });

  it("accepts CRLF, spaces and a missing final line break", () => {
    const text = 'event: x\r\ndata:  {"usage": {"prompt_tokens": 5, "completion_tokens": 6}, "model": "m"}';
    expect(measure("chat", text)).toMatchObject({ tokens: { input: 5, output: 6 }, isEstimated: false });
  });

  it("estimates the output of an incomplete stream from its text", () => {
    const text = stream(MESSAGE_START, delta("x".repeat(200)), delta("y".repeat(100)));
    expect(measure("anthropic", text)).toEqual({
      model: "claude-x-1",
      tokens: { input: 12, output: 100, cacheRead: 300, cacheWrite: 40 },
      isEstimated: true,
    });
    expect(measure("responses", stream({ type: "x", delta: "z".repeat(30) }))).toEqual({
      model: null,
      tokens: { input: 1000, output: 10, cacheRead: 0, cacheWrite: 0 },
      isEstimated: true,
    });
  });

  it("estimates a long stream from its beginning", () => {
    const text = stream(delta("x".repeat(300))).repeat(20_000);
    const { output } = measure("anthropic", text, { size: 65_536 }).tokens;
    expect(output).toBeGreaterThan(1_950_000);
    expect(output).toBeLessThan(2_050_000);
  });

  it("skips a line of twenty megabytes and invalid JSON", () => {
    const text = `data: ${"x".repeat(20_000_000)}\n\ndata: {"usage":{ broken\n\n${STREAMS.anthropic}`;
    expect(measure("anthropic", text, { size: 65_536 })).toMatchObject({ tokens: { output: 25 }, isEstimated: false });
  });

  it("ignores usage in other places and negative counts", () => {
    const text = stream(
      { type: "x", delta: { usage: { output_tokens: 0 } } },
      { type: "y", usage: { output_tokens: -5 } },
    );
    expect(measure("anthropic", stream(MESSAGE_START) + text).tokens).toMatchObject({ input: 12, output: 1 });
  });
});

describe("meter: single JSON answers", () => {
  it("counts the reported usage", () => {
    const text = JSON.stringify({ model: "claude-x", usage: { input_tokens: 3, output_tokens: 4 } });
    expect(measure("anthropic", text, { isStream: false })).toEqual({
      model: "claude-x",
      tokens: { input: 3, output: 4, cacheRead: 0, cacheWrite: 0 },
      isEstimated: false,
    });
  });

  it("uses the last part of Gemini's array", () => {
    const parts = [1, 2, 3].map((count) => ({ usageMetadata: { promptTokenCount: 5, candidatesTokenCount: count } }));
    expect(measure("gemini", JSON.stringify(parts), { isStream: false }).tokens).toMatchObject({ input: 5, output: 3 });
  });

  it("estimates an incomplete answer or one without usage", () => {
    const text = '{"content":[{"type":"text","text":"' + "x".repeat(30) + '"}]';
    expect(measure("anthropic", text, { isStream: false })).toMatchObject({
      tokens: { input: 1000, output: 10 },
      isEstimated: true,
    });
  });
});
