import { createServer, request } from "node:http";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { until } from "../../../testing/suites/supervisor.suite.ts";
import { createOutlet } from "./forward.ts";
import { NONCE, openTestGateway, openTestModel, stream } from "../test-model.suite.ts";

const START = { type: "message_start", message: { model: "claude-x-1", usage: { input_tokens: 7, output_tokens: 1 } } };
const WORDS = { type: "content_block_delta", delta: { type: "text_delta", text: "größer ".repeat(40) } };
const END = { type: "message_delta", usage: { output_tokens: 120 } };
const CLAUDE = { model: "claude-x", max_tokens: 1000, messages: [] };
const SAID = { model: "gpt-x", choices: [{ delta: { content: "größer ".repeat(40) } }], usage: null };
const USAGE = { model: "gpt-x", choices: [], usage: { prompt_tokens: 7, completion_tokens: 120 } };

/** In pieces of many sizes, so that borders fall everywhere: within lines, characters and figures. */
async function writeInPieces(response: ServerResponse, whole: Buffer): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let at = 0, size = 1; at < whole.length; at += size) {
    size = ((size * 7) % 65_521) + 1;
    const isFull = !response.write(whole.subarray(at, at + size));
    if (isFull) await new Promise((resolve) => response.once("drain", resolve));
  }
  response.end();
}

describe("a long answer", () => {
  it.each([
    ["as it is", "anthropic", "/v1/messages", CLAUDE, [START, WORDS], [END], [END]],
    [
      "without the usage that was not asked for",
      "openai",
      "/v1/chat/completions",
      { model: "gpt-x", messages: [], stream: true },
      [SAID],
      [USAGE, "[DONE]"],
      ["[DONE]"],
    ],
  ] as const)("comes through %s, byte for byte, and is counted", async (...one) => {
    const [, api, path, asked, words, sentEnd, heardEnd] = one;
    const many = stream(...words).repeat(10_000);
    const model = await openTestModel((response) => writeInPieces(response, Buffer.from(many + stream(...sentEnd))));
    const gateway = await openTestGateway(model.url, { api });
    const response = await gateway.ask(path, asked);
    const heard = Buffer.from(await response.arrayBuffer());
    expect(heard.equals(Buffer.from(many + stream(...heardEnd)))).toBe(true);
    expect(gateway.usage).toMatchObject([{ tokens: { input: 7, output: 120 } }]);
    expect(gateway.usage).not.toMatchObject([{ estimated: true }]);
  });

  it("reaches a client that pauses again and again", async () => {
    const whole = Buffer.from(stream(START) + stream(WORDS).repeat(10_000) + stream(END));
    const model = await openTestModel((response) => writeInPieces(response, whole));
    const gateway = await openTestGateway(model.url);
    const asking = request(`${gateway.url}/v1/messages`, { method: "POST", headers: { "x-api-key": NONCE } });
    asking.end(JSON.stringify(CLAUDE));
    const heard = await new Promise<number>((resolve, reject) => {
      asking.once("error", reject);
      asking.once("response", (response) => {
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

  it("that breaks off brings what came before", async () => {
    const begun = stream(START, WORDS);
    const model = await openTestModel((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      // The end follows at the heels of the last word.
      response.write(begun, () => response.destroy());
    });
    const gateway = await openTestGateway(model.url);
    const reader = (await gateway.ask("/v1/messages", CLAUDE)).body?.getReader();
    let heard = "";
    const broken = (async () => {
      for (;;) heard += Buffer.from((await reader?.read())?.value ?? []).toString();
    })();
    await expect(broken).rejects.toThrow("terminated");
    expect(heard).toBe(begun);
    await until(() => gateway.usage.length > 0);
    expect(gateway.usage).toMatchObject([{ tokens: { input: 7 }, estimated: true }]);
  });
});

const ALONE = { look: () => undefined, dropper: null, source: { pause: () => undefined, resume: () => undefined } };

/** What leaves, as it stands on the wire. */
async function openClient(): Promise<{ readonly response: ServerResponse; readonly heard: () => string }> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, response) => resolve(response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  // A server that listens on TCP has an address of this kind.
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    vi.useRealTimers();
    socket.destroy();
    server.close();
  });
  let text = "";
  socket.on("data", (data) => (text += data.toString()));
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  const response = await promise;
  response.writeHead(200).flushHeaders();
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  return { response, heard: () => text.slice(text.indexOf("\r\n\r\n") + 4) };
}

/** As soon as it is this long. */
async function afterHearing(heard: () => string, { length }: string): Promise<string> {
  while (heard().length < length) await new Promise((resolve) => setImmediate(resolve));
  return heard();
}

describe("words that come one by one", () => {
  it("leave together, but the first at once", async () => {
    const { response, heard } = await openClient();
    const outlet = createOutlet({ response, ...ALONE });
    // Only lent, and written over at once.
    const lent = Buffer.alloc(1);
    for (const word of ["a", "b", "c"]) {
      lent.write(word);
      outlet.push(lent);
    }
    expect(await afterHearing(heard, "1\r\na\r\n")).toBe("1\r\na\r\n");
    vi.advanceTimersByTime(99);
    outlet.push(Buffer.from("d"));
    vi.advanceTimersByTime(1);
    expect(await afterHearing(heard, "1\r\na\r\n3\r\nbcd\r\n")).toBe("1\r\na\r\n3\r\nbcd\r\n");
    vi.advanceTimersByTime(100);
    outlet.push(Buffer.from("e"));
    expect(await afterHearing(heard, "1\r\na\r\n3\r\nbcd\r\n1\r\ne\r\n")).toBe("1\r\na\r\n3\r\nbcd\r\n1\r\ne\r\n");
  });

  it("do not wait for anything once the answer ends", async () => {
    const { response, heard } = await openClient();
    const outlet = createOutlet({ response, ...ALONE });
    for (const word of ["a", "b", "c"]) outlet.push(Buffer.from(word));
    outlet.end();
    expect(await afterHearing(heard, "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n")).toBe("1\r\na\r\n2\r\nbc\r\n0\r\n\r\n");
  });

  it("are looked at before they leave, and where they cannot leave any more", async () => {
    const { response } = await openClient();
    let seen = "";
    const outlet = createOutlet({ response, ...ALONE, look: (bytes) => (seen += bytes.toString()) });
    outlet.push(Buffer.from("a"));
    outlet.push(Buffer.from("b".repeat(4095)));
    expect(seen).toBe("a");
    outlet.push(Buffer.from("c"));
    expect(seen).toBe(`a${"b".repeat(4095)}c`);
    response.destroy();
    outlet.push(Buffer.from("d".repeat(200_000)));
    outlet.push(Buffer.from("e"));
    outlet.settle();
    expect(seen).toBe(`a${"b".repeat(4095)}c${"d".repeat(200_000)}e`);
  });

  it("make their source wait, but not once it is somebody else's", async () => {
    const { response } = await openClient();
    const waits: string[] = [];
    const source = { pause: () => waits.push("pause"), resume: () => waits.push("resume") };
    const outlet = createOutlet({ response, ...ALONE, source });
    for (const size of [1, 3 * 65_536, 65_535]) outlet.push(Buffer.alloc(size));
    outlet.end();
    expect(waits).toEqual([]);
    const second = await openClient();
    createOutlet({ response: second.response, ...ALONE, source }).push(Buffer.alloc(4 * 65_536));
    expect(waits).toEqual(["pause"]);
    await afterHearing(second.heard, "x".repeat(4 * 65_536));
    while (waits.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(waits).toEqual(["pause", "resume"]);
  });
});
