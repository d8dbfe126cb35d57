import { describe, expect, it } from "vitest";
import type { AnswerHead } from "./answer-head.ts";
import { createAnswerReader } from "./read-answer.ts";

interface Heard {
  heads: AnswerHead[];
  body: string;
  ends: boolean[];
  isEndedByClose: boolean;
}

/** Hands the bytes over in pieces of this size, in memory that is used again, as a socket does. */
function read(text: string, size = text.length): Heard {
  const heard: Heard = { heads: [], body: "", ends: [], isEndedByClose: false };
  const reader = createAnswerReader({
    onHead: (head) => heard.heads.push(head),
    onBody: (piece) => (heard.body += piece.toString("latin1")),
    onEnd: (isClean) => heard.ends.push(isClean),
  });
  const memory = Buffer.alloc(size);
  for (let at = 0; at < text.length; at += size) {
    const length = memory.write(text.slice(at, at + size), "latin1");
    reader.push(memory.subarray(0, length));
    memory.fill("#");
  }
  heard.isEndedByClose = reader.close();
  return heard;
}

const lines = (...all: readonly string[]): string => all.join("\r\n");
const CHUNKS = ["HTTP/1.1 200 OK", "Content-Type: text/event-stream", "transfer-encoding: Chunked", ""];

describe("an answer is read to its end, wherever it is cut", () => {
  it.each([
    ["in chunks", lines(...CHUNKS, "5", "hello", "0a;name=x", "\r\n, world!", "0", "", ""), "hello\r\n, world!"],
    ["with a trailer", lines(...CHUNKS, "1", "x", "0", "x-sum: 1", "y: 2", "", ""), "x"],
    ["of a length", lines("HTTP/1.1 200 OK", "content-length: 7", "", "a\r\n\r\nbc"), "a\r\n\r\nbc"],
    ["of no length", lines("HTTP/1.1 200 OK", "content-length: 0", "", ""), ""],
    ["without words", lines("HTTP/1.1 204 No Content", "a: b", "", ""), ""],
    ["that was not changed", lines("HTTP/1.1 304 Not Modified", "content-length: 9", "", ""), ""],
    [
      "after others that only announce it",
      lines(
        "HTTP/1.1 100 Continue",
        "",
        "HTTP/1.1 103 Early Hints",
        "link: </x>",
        "",
        ...CHUNKS,
        "1",
        "x",
        "0",
        "",
        "",
      ),
      "x",
    ],
  ])("%s", (_, text, body) => {
    for (const size of [1, 2, 3, 7, text.length]) {
      const { heads, ...heard } = read(text, size);
      expect({ size, ...heard }).toEqual({ size, body, ends: [true], isEndedByClose: true });
      expect(heads).toHaveLength(1);
    }
  });

  it("which is the connection's, where it says nothing of it", () => {
    const heard = read(lines("HTTP/1.1 200", "", "all of this"));
    expect(heard).toMatchObject({ body: "all of this", ends: [], isEndedByClose: true });
    expect(heard.heads[0]?.isKept).toBe(false);
  });

  it.each([
    ["in its head", "HTTP/1.1 200 OK\r\ncontent-le"],
    ["before its length is reached", lines("HTTP/1.1 200 OK", "content-length: 7", "", "abc")],
    ["within a chunk", lines(...CHUNKS, "5", "hel")],
    ["behind a chunk", lines(...CHUNKS, "5", "hello", "")],
    ["before the last line", lines(...CHUNKS, "5", "hello", "0", "")],
  ])("and a connection that closes %s is not its end", (_, text) => {
    expect(read(text)).toMatchObject({ ends: [], isEndedByClose: false });
  });

  it("and tells when something follows it", () => {
    expect(read(lines("HTTP/1.1 200 OK", "content-length: 1", "", "xHTTP/1.1 200 OK")).ends).toEqual([false]);
    expect(() => read(lines("HTTP/1.1 200 OK", "content-length: 0", "", "", "HTTP"), 39)).toThrow("nobody asked for");
  });

  it("with its headers, which may come twice", () => {
    const [head] = read(lines("HTTP/1.1 200 OK", "X-A: \t b\xe4 c ", "x-a:d", "E:", "content-length: 0", "", "")).heads;
    expect(head).toMatchObject({
      status: 200,
      headers: { "x-a": "b\xe4 c, d", e: "", "content-length": "0" },
      isKept: true,
    });
  });

  it.each([
    ["HTTP/1.1 200 OK", "connection: Keep-Alive, Close"],
    ["HTTP/1.0 200 OK", "connection: keep-alive"],
  ])("and says that the connection ends with it: %s, %s", (...head) => {
    expect(read(lines(...head, "content-length: 0", "", "")).heads[0]?.isKept).toBe(false);
  });
});

describe("an answer that could be read in two ways is refused", () => {
  const OK = "HTTP/1.1 200 OK";
  it.each([
    ["a length and chunks", [OK, "content-length: 5", "transfer-encoding: chunked", "", ""]],
    ["two lengths", [OK, "content-length: 5", "content-length: 6", "", ""]],
    ["the same length twice", [OK, "content-length: 5", "Content-Length: 5", "", ""]],
    ["a list of lengths", [OK, "content-length: 5, 5", "", ""]],
    ["a signed length", [OK, "content-length: +5", "", ""]],
    ["a length in hex", [OK, "content-length: 0x5", "", ""]],
    ["an empty length", [OK, "content-length:", "", ""]],
    ["a length beyond all numbers", [OK, "content-length: 99999999999999999999", "", ""]],
    ["another coding", [OK, "transfer-encoding: gzip, chunked", "", ""]],
    ["chunks twice", [OK, "transfer-encoding: chunked", "transfer-encoding: chunked", "", ""]],
    ["a folded header", [OK, "x-a: b", " c: d", "", ""]],
    ["a space before the colon", [OK, "content-length : 5", "", ""]],
    ["no name", [OK, ": 5", "", ""]],
    ["no colon", [OK, "content-length", "", ""]],
    ["a NUL in a value", [OK, "x-a: b\0c", "", ""]],
    ["a CR in a value", [OK, "x-a: b\rcontent-length: 5", "", ""]],
    ["a line break alone in a value", [OK, "x-a: b\ncontent-length: 5", "", ""]],
    ["line breaks alone", [`${OK}\ncontent-length: 5\n\nhello`]],
    ["another protocol", ["HTTP/2 200 OK", "", ""]],
    ["none at all", ["SSH-2.0-x", "", ""]],
    ["a change of protocol", ["HTTP/1.1 101 Switching Protocols", "upgrade: x", "", ""]],
    ["a status of four digits", ["HTTP/1.1 2000 OK", "", ""]],
    ["a head without end", [OK, `x-a: ${"b".repeat(70_000)}`]],
    ["a chunk without a size", [...CHUNKS, "", ""]],
    ["a size that is none", [...CHUNKS, "5g", "hello", ""]],
    ["a size with a prefix", [...CHUNKS, "0x5", "hello", ""]],
    ["a negative size", [...CHUNKS, "-5", "hello", ""]],
    ["a size behind a space", [...CHUNKS, " 5", "hello", ""]],
    ["a size beyond all memory", [...CHUNKS, "fffffffff", ""]],
    ["a size that ends without CR", [...CHUNKS, "5\nhello", ""]],
    ["a line break in an extension", [...CHUNKS, "5;a\nb", "hello", ""]],
    ["an extension without end", [...CHUNKS, `5;${"a".repeat(5000)}`]],
    ["a chunk longer than it says", [...CHUNKS, "4", "hello", ""]],
    ["a trailer without end", [...CHUNKS, "0", ...Array<string>(6).fill("x".repeat(4000)), ""]],
  ])("%s", (_, text) => {
    const whole = lines(...text);
    // Those without end have their thousands in any case.
    const sizes = whole.length < 1000 ? [1, 5, whole.length] : [1000, whole.length];
    for (const size of sizes)
      expect(() => read(whole, size)).toThrow(expect.objectContaining({ name: "UnclearAnswer" }));
  });
});
