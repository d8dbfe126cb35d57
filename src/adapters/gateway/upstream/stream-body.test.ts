import { request } from "node:http";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { waitUntil } from "../../../testing/wait-until.ts";
import { NONCE, openTestGateway, openTestModel, stream } from "../test-model.suite.ts";

const START = { type: "message_start", message: { model: "claude-x-1", usage: { input_tokens: 7, output_tokens: 1 } } };
const WORDS = { type: "content_block_delta", delta: { type: "text_delta", text: "größer ".repeat(40) } };
const END = { type: "message_delta", usage: { output_tokens: 120 } };
const CLAUDE = { model: "claude-x", max_tokens: 1000, messages: [] };
const CONTENT = { model: "gpt-x", choices: [{ delta: { content: "größer ".repeat(40) } }], usage: null };
const USAGE = { model: "gpt-x", choices: [], usage: { prompt_tokens: 7, completion_tokens: 120 } };

/** Writes chunks of many sizes, so that they split lines, characters and numbers. */
async function writeInPieces(response: ServerResponse, whole: Buffer): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let at = 0, size = 1; at < whole.length; at += size) {
    size = ((size * 7) % 65_521) + 1;
    const isFull = !response.write(whole.subarray(at, at + size));
    if (isFull) await new Promise((resolve) => response.once("drain", resolve));
  }
  response.end();
}

describe("gateway: long answers", () => {
  it.each([
    ["unchanged", "anthropic", "/v1/messages", CLAUDE, [START, WORDS], [END], [END]],
    [
      "without the usage that the client did not request",
      "openai",
      "/v1/chat/completions",
      { model: "gpt-x", messages: [], stream: true },
      [CONTENT],
      [USAGE, "[DONE]"],
      ["[DONE]"],
    ],
  ] as const)("are forwarded %s and counted", async (...one) => {
    const [, api, path, body, words, sentEnd, heardEnd] = one;
    const many = stream(...words).repeat(10_000);
    const model = await openTestModel((response) => writeInPieces(response, Buffer.from(many + stream(...sentEnd))));
    const gateway = await openTestGateway(model.url, { api });
    const response = await gateway.send(path, body);
    const heard = Buffer.from(await response.arrayBuffer());
    expect(heard.equals(Buffer.from(many + stream(...heardEnd)))).toBe(true);
    expect(gateway.usage).toMatchObject([{ tokens: { input: 7, output: 120 } }]);
    expect(gateway.usage).not.toMatchObject([{ estimated: true }]);
  });

  it("reach a client that pauses repeatedly", async () => {
    const whole = Buffer.from(stream(START) + stream(WORDS).repeat(10_000) + stream(END));
    const model = await openTestModel((response) => writeInPieces(response, whole));
    const gateway = await openTestGateway(model.url);
    const pending = request(`${gateway.url}/v1/messages`, { method: "POST", headers: { "x-api-key": NONCE } });
    pending.end(JSON.stringify(CLAUDE));
    const heard = await new Promise<number>((resolve, reject) => {
      pending.once("error", reject);
      pending.once("response", (response) => {
        let bytes = 0;
        response.on("data", ({ length }: Buffer) => {
          bytes += length;
          response.pause();
          setTimeout(() => response.resume(), 1);
        });
        response.once("end", () => resolve(bytes));
        response.once("error", reject);
      });
    });
    expect(heard).toBe(whole.length);
  });

  it("that break off deliver what was sent before", async () => {
    const beginning = stream(START, WORDS);
    const model = await openTestModel((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      // The connection breaks immediately after the last data.
      response.write(beginning, () => response.destroy());
    });
    const gateway = await openTestGateway(model.url);
    const reader = (await gateway.send("/v1/messages", CLAUDE)).body?.getReader();
    let heard = "";
    const broken = (async () => {
      for (;;) heard += Buffer.from((await reader?.read())?.value ?? []).toString();
    })();
    await expect(broken).rejects.toThrow("terminated");
    expect(heard).toBe(beginning);
    await waitUntil(() => gateway.usage.length > 0);
    expect(gateway.usage).toMatchObject([{ tokens: { input: 7 }, estimated: true }]);
  });
});
